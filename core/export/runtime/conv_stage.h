/* A convolution in a kernel, and the pooling that it feeds: an image at a time. For each T: OF(name). */
static void OF(conv_stage)(const ConvHow *how, T *room, const Call *c, const Call *p, char **at) {
    const Conv w = conv_read(c->numbers, how);
    T *more = room + (p ? w.top[0] : 0);
    for (i64 n = 0; n < w.images; n++) {
        T *top = p ? room : (T *)c->c + n * w.top[0];
        OF(conv_image)(&w, how, how + 1, (const T *)c->a + n * w.image[0], c->b, top, more);
        if (!p) continue;
        i64 numbers[14];
        memcpy(numbers, p->numbers, sizeof numbers);
        numbers[2] = 1;
        *at = (char *)room - n * w.top[0] * (i64)sizeof(T);
        if (c->done) c->done(c->user, n, n + 1, 0, w.groups * w.filters);
        OF(pool)(numbers, room, (T *)p->c + n * numbers[3] * numbers[8] * numbers[13]);
        if (p->done) p->done(p->user, n, n + 1, 0, numbers[3]);
    }
    if (!p && c->done) c->done(c->user, 0, w.images, 0, w.groups * w.filters);
}
