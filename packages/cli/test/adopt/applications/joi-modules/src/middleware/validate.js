export const validate = (schema) => async (req, res, next) => {
  req.body = await schema.validateAsync(req.body)
  next()
}
