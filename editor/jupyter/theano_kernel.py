"""A Jupyter kernel for Theano for Lua: cells are run by `theano`, figures of theano.plot are shown in place.

    pip install ipykernel
    python3 theano_kernel.py install [PATH OF theano]      then: jupyter notebook, new, "Theano for Lua"
"""
import json
import os
import re
import signal
import subprocess
import sys

from ipykernel.kernelbase import Kernel

HERE = os.path.dirname(os.path.abspath(__file__))


class TheanoKernel(Kernel):
    implementation = "theano"
    implementation_version = "0.1"
    language = "lua"
    banner = "Theano for Lua"
    language_info = {"name": "lua", "mimetype": "text/x-lua", "file_extension": ".lua"}

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.run_theano()

    def run_theano(self):
        self.lua = subprocess.Popen([os.environ.get("THEANO", "theano"), os.path.join(HERE, "serve.lua")],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def ask(self, word, text, said=lambda line: None):
        """The answer to a request; what is printed meanwhile goes to `said`. None where the runner has ended."""
        body = text.encode()
        self.lua.stdin.write(b"%s %d\n" % (word.encode(), len(body)) + body)
        self.lua.stdin.flush()
        while True:
            try:
                line = self.lua.stdout.readline()
            except KeyboardInterrupt:  # Jupyter's stop: the runner hears of it, and answers
                self.lua.send_signal(signal.SIGINT)
                continue
            if not line:
                return None
            before, zero, answer = line.partition(b"\0")
            if before:
                said(before.decode(errors="replace"))
            if zero:
                return json.loads(answer)

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False):
        def said(text):
            if not silent:
                self.send_response(self.iopub_socket, "stream", {"name": "stdout", "text": text})

        answer = self.ask("run", code, said)
        if answer is None:
            self.run_theano()
            answer = {"ok": False, "text": "the runner has ended; a new one is there"}
        if not answer["ok"]:
            lines = answer["text"].split("\n")
            if not silent:
                self.send_response(self.iopub_socket, "error", {"ename": "", "evalue": lines[0], "traceback": lines})
            return {"status": "error", "execution_count": self.execution_count, "ename": "", "evalue": lines[0],
                    "traceback": lines}
        if not silent and (answer["text"] or answer.get("data")):
            data = {"text/plain": answer["text"], **(answer.get("data") or {})}
            self.send_response(self.iopub_socket, "execute_result", {
                "execution_count": self.execution_count, "data": data, "metadata": {}})
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    def do_complete(self, code, cursor_pos):
        text = code[:cursor_pos]
        part = re.search(r"\w*$", text).group()
        answer = self.ask("complete", text.split("\n")[-1]) or {}
        names = answer.get("choices", "").split() or ([part + answer["rest"]] if answer.get("rest") else [])
        return {"status": "ok", "matches": names, "cursor_start": cursor_pos - len(part), "cursor_end": cursor_pos,
                "metadata": {}}

    def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        word = re.search(r"[\w.:]*$", code[:cursor_pos]).group() + re.match(r"\w*", code[cursor_pos:]).group()
        answer = self.ask("help", word) or {"ok": False}
        return {"status": "ok", "found": answer["ok"], "metadata": {},
                "data": {"text/plain": answer["text"]} if answer["ok"] else {}}

    def do_shutdown(self, restart):
        self.lua.stdin.close()
        self.lua.wait(timeout=5)
        return {"status": "ok", "restart": restart}


def install(theano):
    from jupyter_client.kernelspec import KernelSpecManager
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "kernel.json"), "w") as f:
            json.dump({"argv": [sys.executable, os.path.abspath(__file__), "-f", "{connection_file}"],
                       "display_name": "Theano for Lua", "language": "lua", "env": {"THEANO": theano}}, f)
        print(KernelSpecManager().install_kernel_spec(folder, "theano", prefix=sys.prefix))


if __name__ == "__main__":
    if sys.argv[1:2] == ["install"]:
        install(os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else "theano")
    else:
        from ipykernel.kernelapp import IPKernelApp
        IPKernelApp.launch_instance(kernel_class=TheanoKernel)
