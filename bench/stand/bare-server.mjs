// Plain JavaScript: stripping types would take memory that the comparison must not be given.
import Fastify from 'fastify'

const app = Fastify({ logger: true })
app.get('/', async () => ({ hello: 'world' }))
await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.(app.server.address().port)
