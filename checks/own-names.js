// @ts-check
// A rule of oxlint for names that come from users: `name in fields` is true for `constructor` and the other names that every
// object inherits.

const message =
  'Use Object.hasOwn(record, name): `in` finds the names that every object inherits, such as constructor.'

/** @type {{ create: (context: any) => object }} */
const noDynamicIn = {
  create(context) {
    return {
      /** @param {any} node */
      BinaryExpression(node) {
        if (node.operator !== 'in' || isFixed(node.left) || isPrototype(node.right)) return
        context.report({ node, message })
      },
    }
  },
}

/** @param {any} name */
function isFixed({ type }) {
  return type === 'Literal' || type === 'PrivateIdentifier'
}

/** @param {any} record */
function isPrototype({ type, property }) {
  return type === 'MemberExpression' && property.name === 'prototype'
}

export default {
  meta: { name: 'own-names' },
  rules: { 'no-dynamic-in': noDynamicIn },
}
