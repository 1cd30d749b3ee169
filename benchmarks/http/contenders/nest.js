// NestJS on Express or Fastify, with the platform's own limiter. Decorators are applied as
// functions, which is what the compiler makes of them.
import 'reflect-metadata'
import { randomUUID } from 'node:crypto'
import {
  BadRequestException,
  Body,
  Controller,
  Delete,
  Get,
  HttpException,
  Module,
  NotFoundException,
  Param,
  Patch,
  Post,
  Query,
  UnauthorizedException,
  UnprocessableEntityException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { JwtModule, JwtService } from '@nestjs/jwt'
import { Type } from 'class-transformer'
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsString,
  Length,
  Max,
  Min,
} from 'class-validator'
import morgan from 'morgan'
import {
  createPost,
  extraResources,
  findPost,
  findPosts,
  never,
  origin,
  postId,
  secret,
  user,
} from '../fixtures.js'

const limited = { windowMs: 60_000, limit: never, standardHeaders: 'draft-7' }

export async function start({ platform, extra }) {
  const setUp = platform === 'express' ? onExpress : onFastify
  const app = await setUp(createModule(extra))
  app.useGlobalPipes(
    new ValidationPipe({ transform: true, whitelist: true, exceptionFactory: toUnprocessable }),
  )
  app.useGlobalFilters({ catch: answerError })
  app.enableCors({ origin: [origin], credentials: true })
  await app.listen(0)
  return app.getHttpServer().address().port
}

async function onExpress(module) {
  const { default: helmet } = await import('helmet')
  const { rateLimit } = await import('express-rate-limit')
  const app = await NestFactory.create(module, { logger: false })
  app.use((req, res, next) => {
    res.setHeader('X-Request-Id', randomUUID())
    next()
  })
  app.use(helmet(), rateLimit(limited), morgan('combined'))
  app.use('/api/v1/auth', rateLimit(limited))
  app.useBodyParser('json', { limit: '100kb' })
  return app
}

async function onFastify(module) {
  const { FastifyAdapter } = await import('@nestjs/platform-fastify')
  const { default: helmet } = await import('@fastify/helmet')
  const { LogController } = await import('fastify')
  const { default: rateLimit } = await import('@fastify/rate-limit')
  const adapter = new FastifyAdapter({
    bodyLimit: 102_400,
    logger: true,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
  })
  const app = await NestFactory.create(module, adapter, { logger: false })
  await app.register(helmet)
  await app.register(rateLimit, { max: never, timeWindow: 60_000 })
  const fastify = adapter.getInstance()
  fastify.addHook('onRequest', async (req, reply) => {
    reply.header('X-Request-Id', req.id)
  })
  fastify.addHook('onResponse', async (req, reply) => {
    req.log.info({ res: reply, ms: reply.elapsedTime, url: req.url, method: req.method }, 'request')
  })
  return app
}

function toUnprocessable(faults) {
  return new UnprocessableEntityException({
    error: {
      code: 'validation_failed',
      errors: faults.map(({ property, constraints }) => ({
        path: property,
        message: Object.values(constraints ?? {})[0],
      })),
    },
  })
}

function answerError(exception, host) {
  const response = host.switchToHttp().getResponse()
  const status = exception instanceof HttpException ? exception.getStatus() : 500
  const own = exception instanceof HttpException ? exception.getResponse() : undefined
  response.status(status).send(own?.error?.code ? own : { error: { code: 'error' } })
}

class CreatePost {}
decorate(CreatePost, 'title', String, [IsString(), Length(1, 200)])
decorate(CreatePost, 'body', String, [IsString(), Length(1, 100_000)])
decorate(CreatePost, 'tags', Array, [
  IsArray(),
  ArrayMaxSize(10),
  IsString({ each: true }),
  Length(1, 30, { each: true }),
])
decorate(CreatePost, 'views', Number, [IsInt(), Min(0)])
decorate(CreatePost, 'published', Boolean, [IsBoolean()])

class Paging {
  page = 1
  limit = 20
}
decorate(Paging, 'page', Number, [Type(() => Number), IsInt(), Min(1)])
decorate(Paging, 'limit', Number, [Type(() => Number), IsInt(), Min(1), Max(100)])

function decorate({ prototype }, name, type, decorators) {
  Reflect.defineMetadata('design:type', type, prototype, name)
  for (const apply of decorators) apply(prototype, name)
}

class JwtGuard {
  constructor(jwt) {
    this.jwt = jwt
  }

  canActivate(context) {
    const request = context.switchToHttp().getRequest()
    try {
      const token = request.headers.authorization?.replace(/^Bearer /, '')
      request.user = this.jwt.verify(token ?? '', { algorithms: ['HS256'] })
    } catch {
      throw new UnauthorizedException()
    }
    return true
  }
}
Reflect.defineMetadata('design:paramtypes', [JwtService], JwtGuard)

class Health {
  check() {
    return { status: 'pass', uptime: process.uptime() }
  }
}
method(Health, 'check', { decorators: [Get('/')], types: [] })
Controller()(Health)

class Auth {
  me() {
    return { data: user }
  }
}
method(Auth, 'me', { decorators: [Get('me'), UseGuards(JwtGuard)], types: [] })
Controller('/api/v1/auth')(Auth)

function createPostsController(path) {
  class Posts {
    list(query) {
      return findPosts(query)
    }

    create(input) {
      return { data: createPost({ ...input }) }
    }

    change() {
      throw new BadRequestException()
    }

    remove() {
      throw new BadRequestException()
    }

    get(id) {
      const post = postId.safeParse(id).success ? findPost(id) : undefined
      if (!post) throw new NotFoundException()
      return { data: post }
    }
  }
  const guard = UseGuards(JwtGuard)
  method(Posts, 'list', { decorators: [Get()], types: [Paging], parameter: Query() })
  method(Posts, 'create', { decorators: [Post(), guard], types: [CreatePost], parameter: Body() })
  method(Posts, 'change', { decorators: [Patch(':id'), guard], types: [] })
  method(Posts, 'remove', { decorators: [Delete(':id'), guard], types: [] })
  method(Posts, 'get', { decorators: [Get(':id')], types: [String], parameter: Param('id') })
  Controller(path)(Posts)
  return Posts
}

function method({ prototype }, name, { decorators, types, parameter }) {
  Reflect.defineMetadata('design:paramtypes', types, prototype, name)
  parameter?.(prototype, name, 0)
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
  for (const apply of decorators) apply(prototype, name, descriptor)
}

function createModule(extra) {
  class AppModule {}
  const names = ['posts', ...extraResources(extra)]
  const controllers = names.map((name) => createPostsController(`/api/${name}`))
  Module({
    imports: [JwtModule.register({ secret })],
    controllers: [Health, Auth, ...controllers],
  })(AppModule)
  return AppModule
}
