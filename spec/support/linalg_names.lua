--- Functions of linear algebra that have specs of their own for values and gradients: name -> spec.
-- @module spec.support.linalg_names
return {
  matmul = "einsum_spec", einsum = "einsum_spec",
}
