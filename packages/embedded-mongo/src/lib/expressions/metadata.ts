import { requireMetadata, toMetadataName } from '../bson/metadata.ts'
import { type Operator } from './operator.ts'

export const metadata: Readonly<Record<string, Operator>> = {
  $meta: (operand) => {
    const name = toMetadataName(operand)
    return (root) => requireMetadata(root, name)
  },
}
