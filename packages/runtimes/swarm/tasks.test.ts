import { expect, it } from 'vitest'
import { codedByCluster } from './tasks.ts'

const answer = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode })

it.each([
  [
    503,
    'This node is not a swarm manager. Use "docker swarm init" to connect this node to swarm and try again.',
  ],
  [500, 'rpc error: code = Unknown desc = The swarm does not have a leader.'],
  [500, 'rpc error: code = Unknown desc = raft: failed to process the request: node lost leader status'],
  [500, 'rpc error: code = Unknown desc = raft: no elected cluster leader'],
  [503, 'rpc error: code = Unavailable desc = all SubConns are in TransientFailure'],
  [500, 'rpc error: code = Canceled desc = grpc: the client connection is closing'],
])('a cluster that answers %i "%s" cannot be reached, and is asked again', async (status, message) => {
  const refused = codedByCluster(() => Promise.reject(answer(status, message)))
  await expect(refused).rejects.toMatchObject({ code: 'engine-unreachable' })
})

it.each([
  [400, 'rpc error: code = InvalidArgument desc = ContainerSpec: image reference must be provided'],
  [500, "rpc error: code = Unknown desc = raft: raft message is too large and can't be sent"],
])('a cluster that answers %i "%s" refuses the server', async (status, message) => {
  const refused = codedByCluster(() => Promise.reject(answer(status, message)))
  await expect(refused).rejects.toMatchObject({ code: 'server-not-started' })
})
