/**
 * What the controller is measured against: bare fastify with the controller's body parsers, and one
 * route that keeps a value in Redis. Started as `floor-server.ts <Redis URL>`.
 */
import { randomUUID } from 'node:crypto'
import formbody from '@fastify/formbody'
import { fastify, type FastifyInstance } from 'fastify'
import { addJsonParser } from '../../controller/plugins/tolerance.ts'
import { openRedis } from '../../controller/store/redis.ts'

const redis = openRedis(process.argv[2] ?? '')
redis.on('error', () => undefined)
const app = fastify() as unknown as FastifyInstance
addJsonParser(app)
await app.register(formbody)
app.get('/read', () => ({ answer: 'as short as it gets' }))
app.post('/post', () => ({ answer: 'as short as it gets' }))
app.post('/refuse', (_request, reply) => reply.status(400).send({ error: 'always' }))
app.post('/keep', async (request, reply) => {
  const id = randomUUID()
  await redis.set(`bench:${id}`, JSON.stringify(request.body), 'PX', 60_000)
  return reply.status(201).send(id)
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.once('SIGTERM', () => process.exit())
process.once('disconnect', () => process.exit())
process.send?.({ ready: true, port: (app.server.address() as { port: number }).port })
