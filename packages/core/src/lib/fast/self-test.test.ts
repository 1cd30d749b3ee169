import http, { type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { comparePaths, findChange, type Platform } from './self-test.ts'

const current: Platform = { ...http, ...express }

// A release of Node whose responses have other methods, and Express on top of it.
function withMethods(
  methods: Record<
    string,
    (this: ServerResponse, status?: number, headers?: OutgoingHttpHeaders) => unknown
  >,
): Platform {
  function Changed(this: unknown, ...args: unknown[]): void {
    Reflect.apply(http.ServerResponse, this, args)
  }
  Changed.prototype = Object.assign(Object.create(http.ServerResponse.prototype), methods)
  const descriptors = Object.getOwnPropertyDescriptors(express.response)
  return {
    ...current,
    // @ts-expect-error -- a constructor, to Node
    ServerResponse: Changed,
    response: Object.create(Changed.prototype, descriptors),
  }
}

describe('findChange', () => {
  it('finds nothing in this release of Node and Express', () => {
    expect(comparePaths(current)).toBeUndefined()
    expect(findChange()).toBeUndefined()
  })
})

describe('comparePaths', () => {
  it('finds nothing if only the identity of the constructors differs', () => {
    expect(comparePaths(withMethods({}))).toBeUndefined()
  })

  it('finds constructors that cannot be called as functions', () => {
    class IncomingMessage extends http.IncomingMessage {}
    expect(comparePaths({ ...current, IncomingMessage })).toContain("without 'new'")
  })

  it('finds a constructor that sets no fields when it is called as a function', () => {
    function ServerResponse(this: unknown, ...args: unknown[]): unknown {
      return Reflect.construct(http.ServerResponse, args, new.target)
    }
    ServerResponse.prototype = http.ServerResponse.prototype
    // @ts-expect-error -- a constructor, to Node
    expect(comparePaths({ ...current, ServerResponse })).toMatch(/missing field|TypeError/)
  })

  it('finds a request without the URL that was passed to its constructor', () => {
    function IncomingMessage(this: http.IncomingMessage, socket: unknown, url: string): void {
      Reflect.apply(http.IncomingMessage, this, [socket])
      if (new.target) this.url = url
    }
    IncomingMessage.prototype = http.IncomingMessage.prototype
    // @ts-expect-error -- a constructor, to Node
    expect(comparePaths({ ...current, IncomingMessage })).toBe('a request has its URL')
  })

  it('passes on every argument of a constructor', () => {
    function IncomingMessage(this: http.IncomingMessage, socket: unknown, url: string): void {
      Reflect.apply(http.IncomingMessage, this, [socket])
      this.url = url
    }
    IncomingMessage.prototype = http.IncomingMessage.prototype
    // @ts-expect-error -- a constructor, to Node
    expect(comparePaths({ ...current, IncomingMessage })).toBeUndefined()
  })

  it('finds a new method for headers', () => {
    expect(comparePaths(withMethods({ deleteHeader: () => {} }))).toBe(
      'unknown method ServerResponse.deleteHeader',
    )
  })

  it('finds an end that does not call writeHead', () => {
    const changed = withMethods({
      _implicitHeader() {
        return http.ServerResponse.prototype.writeHead.call(this, this.statusCode)
      },
    })
    expect(comparePaths(changed)).toBe('deferred headers are sent')
  })

  it('finds a writeHead that does not take a list', () => {
    const changed = withMethods({
      writeHead(this: ServerResponse, status = 200, headers: OutgoingHttpHeaders = {}) {
        const known = Array.isArray(headers) ? {} : headers
        return http.ServerResponse.prototype.writeHead.call(this, status, known)
      },
    })
    expect(comparePaths(changed)).toBe('deferred headers are sent')
  })

  it('finds an end that does not send the text of the head', () => {
    const changed = withMethods({
      end(this: ServerResponse, ...args: unknown[]) {
        if (args.length === 0) Reflect.set(this, '_header', 'HTTP/1.1 500\r\n\r\n')
        return Reflect.apply(Reflect.get(http.ServerResponse.prototype, 'end'), this, args)
      },
    })
    expect(comparePaths(changed)).toBe('a text is sent with its head')
  })

  it('finds a request that is no longer resumed by resume', () => {
    const { resume: _resume, ...request } = Object.getOwnPropertyDescriptors(express.request)
    const changed = Object.create(
      Object.create(http.IncomingMessage.prototype, { resume: {} }),
      request,
    )
    expect(comparePaths({ ...current, request: changed })).toContain('TypeError')
  })

  it('finds responses of Express that do not inherit from those of Node', () => {
    const response = Object.create(
      Object.prototype,
      Object.getOwnPropertyDescriptors(express.response),
    )
    expect(comparePaths({ ...current, response })).toContain('TypeError')
  })
})
