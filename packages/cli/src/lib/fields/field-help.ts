import { foldText } from '../terminal/fold-text.ts'
import { fieldKinds, toFieldType } from './field-types.ts'
import { modifierHelp } from './parse-modifiers.ts'

const scalars = fieldKinds.filter((kind) => toFieldType(kind).operand === undefined)
const examples = fieldKinds.flatMap((kind) => toFieldType(kind).operand?.example ?? [])

// The grammar of fields, for `--help`.
export const fieldHelp = `
Fields: name:type:modifier…   (required unless "optional" or "default=")
  types      ${foldText(scalars.join(' '), 66).join('\n             ')}
             ${[...examples, 'array:string', 'array:ref:User'].join('   ')}
  objects    address.city:string address.zip:string
             lines:array:object lines.sku:string
  modifiers  ${modifierHelp.replace(' array', '')}`
