export function handleMissing(req, res) {
  res.status(404).json({ message: `no ${req.method} ${req.originalUrl}` })
}

// Express tells error handlers by their four parameters.
export function handleError(error, req, res, next) {
  const status = error.isJoi ? 400 : (error.status ?? 500)
  res.status(status).json({ message: status === 500 ? 'internal error' : error.message })
}
