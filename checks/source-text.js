// @ts-check
// A rule of oxlint for code that writes code: what is interpolated between quotes could end them. The functions of
// code/literals.ts and code/import-statement.ts write literals and imports, quoteForShell the words of a shell.

const message =
  'Write a literal with text() or quoted() of code/literals.ts, an import with importStatement(), a word of a shell with quoteForShell().'

/** @type {{ create: (context: any) => object }} */
const noQuotedInterpolation = {
  create(context) {
    return {
      /** @param {any} node */
      TemplateLiteral(node) {
        const texts = node.quasis.map((/** @type {any} */ quasi) => quasi.value.raw)
        for (const [index, expression] of node.expressions.entries()) {
          const before = texts.slice(0, index + 1)
          if (
            isQuoted(texts[index], texts[index + 1]) ||
            (isImport(before) && !isLiteral(expression))
          )
            context.report({ node: expression, message })
        }
      },
    }
  },
}

/** @param {string} before @param {string} after */
function isQuoted(before, after) {
  return before.endsWith("'") && after.startsWith("'")
}

/** @param {string[]} before */
function isImport(before) {
  return /^(import|export)\b.*\bfrom ['"]?[^'"\s]*$/.test(before.join('$'))
}

/** @param {any} expression */
function isLiteral(expression) {
  return expression.type === 'CallExpression' && expression.callee.name === 'quoted'
}

export default {
  meta: { name: 'source-text' },
  rules: { 'no-quoted-interpolation': noQuotedInterpolation },
}
