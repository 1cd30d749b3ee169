import { inspect } from 'node:util'
import { type BsonValue, bsonTypes, decodeBson, eachElement, findElement } from './bson.ts'

// A document, or a list of documents, that stays BSON until its content is used: a response can be written from the
// bytes. After the first use it is an ordinary object or array.
class Content implements ProxyHandler<object> {
  bson: BsonValue | undefined

  constructor(bson: BsonValue) {
    this.bson = bson
  }

  decode<T extends object>(target: T): T {
    if (this.bson) {
      const content = Object(decodeBson(this.bson))
      this.bson = undefined
      Object.setPrototypeOf(target, Object.getPrototypeOf(content))
      Object.defineProperties(target, Object.getOwnPropertyDescriptors(content))
    }
    return target
  }

  get(target: object, key: string | symbol): unknown {
    // A promise asks for it when it is resolved.
    if (key === 'then' && this.bson && !this.bson.text.includes('then\0')) return undefined
    return Reflect.get(this.decode(target), key)
  }

  set(target: object, key: string | symbol, value: unknown): boolean {
    return Reflect.set(this.decode(target), key, value)
  }

  has(target: object, key: string | symbol): boolean {
    return Reflect.has(this.decode(target), key)
  }

  deleteProperty(target: object, key: string | symbol): boolean {
    return Reflect.deleteProperty(this.decode(target), key)
  }

  defineProperty(target: object, key: string | symbol, property: PropertyDescriptor): boolean {
    return Reflect.defineProperty(this.decode(target), key, property)
  }

  getOwnPropertyDescriptor(target: object, key: string | symbol): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.decode(target), key)
  }

  ownKeys(target: object): (string | symbol)[] {
    return Reflect.ownKeys(this.decode(target))
  }

  getPrototypeOf(target: object): object | null {
    return Reflect.getPrototypeOf(this.decode(target))
  }

  setPrototypeOf(target: object, prototype: object | null): boolean {
    return Reflect.setPrototypeOf(this.decode(target), prototype)
  }

  isExtensible(target: object): boolean {
    return Reflect.isExtensible(this.decode(target))
  }

  preventExtensions(target: object): boolean {
    return Reflect.preventExtensions(this.decode(target))
  }
}

const contents = new WeakMap<object, Content>()

// `util.inspect` and `console.log` read the target of a proxy and call no trap.
const inspected: PropertyDescriptorMap = {
  [inspect.custom]: {
    value(this: object) {
      return { ...this }
    },
  },
}
const undecodedObject = Object.create(Object.prototype, inspected)
const undecodedArray = Object.create(Array.prototype, {
  [inspect.custom]: {
    value(this: readonly unknown[]) {
      return [...this]
    },
  },
})

export function toStoredValue(bson: BsonValue): object {
  const isArray = bson.type === bsonTypes.array
  const target = isArray
    ? Object.setPrototypeOf([], undecodedArray)
    : Object.create(undecodedObject)
  const content = new Content(bson)
  const value: object = new Proxy(target, content)
  contents.set(value, content)
  return value
}

// The bytes of a value whose content was not used.
export function toBson(value: unknown): BsonValue | undefined {
  return contents.get(Object(value))?.bson
}

// The value of a field, without the others.
export function readField(document: object, name: string): unknown {
  const bson = toBson(document)
  if (!bson) return Reflect.get(document, name)
  const field = findElement(bson, name)
  return field && decodeBson(field)
}

// How many items a list has.
export function countItems(list: readonly unknown[]): number {
  const bson = toBson(list)
  if (!bson) return list.length
  let count = 0
  eachElement(bson, () => count++)
  return count
}

// One item of a list, without the others.
export function readItem<T>(list: readonly T[], index: number): T | undefined {
  const bson = toBson(list)
  if (!bson) return list[index]
  let at = 0
  let item: BsonValue | undefined
  eachElement(bson, (_name, value) => {
    if (at++ === index) item = value
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the list consists of these items
  return item && (decodeBson(item) as T)
}

// The first items of a list.
export function takeItems<T>(list: T[], count: number): T[] {
  const bson = toBson(list)
  if (!bson) return list.slice(0, count)
  const { at, bytes } = bson
  let index = 0
  let end = -1
  eachElement(bson, (name, value) => {
    // The type of the element comes before its name.
    if (index++ === count) end = value.at - name.length - 2
  })
  if (end === -1) return list
  // The bytes may be those of other lists, too. Zero ends a list.
  const own = Buffer.alloc(end - at + 1)
  bytes.copy(own, 0, at, end)
  own.writeInt32LE(own.length, 0)
  const first = { ...bson, bytes: own, text: own.toString('latin1'), at: 0 }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the list consists of these items
  return toStoredValue(first) as T[]
}
