// The law that figures follow.

// Below a quarter over the whole range, a change is noise.
const least = 1.25

const logarithm = {
  scale: Math.log10,
  describe: (slope) => `logarithmic, ${sign(slope)} with each tenfold`,
}
const line = {
  scale: (count) => count,
  describe: (slope, most) => `linear, ${toRate(slope, 10 ** Math.floor(Math.log10(most)))}`,
}
const power = { describe: (exponent) => `n^${exponent.toFixed(2)}` }

/**
 * Names the law that fits best, by the relative errors of a fit by least squares.
 * @param points - pairs of a count and what was measured with it, by count
 * @returns `constant`, or how it grows
 */
export function describeLaw(points) {
  const most = points.at(-1)[0]
  const fits = [fitScaled(points, line)]
  // Neither starts at 0.
  if (points[0][0] > 0) fits.push(fitScaled(points, logarithm), fitPower(points))
  const [best] = fits.toSorted((a, b) => a.error - b.error)
  const [first, last] = [points[0], points.at(-1)].map(([count]) => best.predict(count))
  if (last < first * least && first < last * least) return 'constant'
  return best.law.describe(best.slope, most)
}

/**
 * The slope of a line, for what is known to be one above a base that may hide it, as memory is.
 * @param points - as above
 * @returns what a thousand more take
 */
export function describeSlope(points) {
  return toRate(fitScaled(points, line).slope, 1000)
}

// start + slope × scale(count), each point weighed by what was measured.
function fitScaled(points, law) {
  const rows = points.map(([count, value]) => [1 / value, law.scale(count) / value])
  const sum = (toTerm) => rows.reduce((total, row) => total + toTerm(row), 0)
  const [uu, uv, vv] = [sum(([u]) => u * u), sum(([u, v]) => u * v), sum(([, v]) => v * v)]
  const [u1, v1] = [sum(([u]) => u), sum(([, v]) => v)]
  const determinant = uu * vv - uv * uv
  const start = (u1 * vv - v1 * uv) / determinant
  const slope = (v1 * uu - u1 * uv) / determinant
  return toFit(points, law, slope, (count) => start + slope * law.scale(count))
}

// factor × count^exponent.
function fitPower(points) {
  const logs = points.map((point) => point.map(Math.log))
  const [x, y] = [0, 1].map((index) => mean(logs.map((point) => point[index])))
  const exponent =
    mean(logs.map(([a, b]) => (a - x) * (b - y))) / mean(logs.map(([a]) => (a - x) ** 2))
  return toFit(points, power, exponent, (count) => Math.exp(y + exponent * (Math.log(count) - x)))
}

function toFit(points, law, slope, predict) {
  const error = mean(points.map(([count, value]) => (predict(count) / value - 1) ** 2))
  return { law, slope, predict, error }
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function toRate(slope, unit) {
  return `${sign(slope * unit)} per ${unit.toLocaleString('en')}`
}

function sign(value) {
  const size = Math.abs(value).toLocaleString('en', { maximumSignificantDigits: 2 })
  return `${value < 0 ? '−' : '+'}${size}`
}
