/** MongoDB's version whose behaviour is answered. */
export const VERSION = '8.0.0'
