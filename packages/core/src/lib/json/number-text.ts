// Numbers as text, as JSON writes them (RFC 8259 section 6).
export const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
export const wholeNumberText = /^(?:0|-?[1-9]\d*)$/
