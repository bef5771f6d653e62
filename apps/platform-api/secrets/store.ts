import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { unavailable } from '@windlass/service/problem.ts'
import type { Config } from '../config.ts'

/** Where secrets of others lie: AWS Secrets Manager, or our own store, which speaks its protocol. */
export interface SecretsStore {
  /** Throws `dependency-unavailable`. */
  put(name: string, value: string): Promise<void>
  /** For good; nothing happens where there is none. Throws `dependency-unavailable`. */
  remove(name: string): Promise<void>
  close(): void
}

export function createSecretsStore({ endpoint, region, credentials }: Config['secretsStore']): SecretsStore {
  const client = new SecretsManagerClient({
    region,
    ...(endpoint ? { endpoint } : {}),
    ...(credentials ? { credentials } : {}),
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  })
  return {
    async put(name, value) {
      try {
        await client.send(new CreateSecretCommand({ Name: name, SecretString: value }))
      } catch (error) {
        if (!(error instanceof ResourceExistsException)) throw unavailable('The secrets store', error)
        // An earlier attempt arrived though its answer did not.
        await client
          .send(new PutSecretValueCommand({ SecretId: name, SecretString: value }))
          .catch(cause => Promise.reject(unavailable('The secrets store', cause)))
      }
    },
    async remove(name) {
      try {
        await client.send(new DeleteSecretCommand({ SecretId: name, ForceDeleteWithoutRecovery: true }))
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw unavailable('The secrets store', error)
      }
    },
    close: () => client.destroy(),
  }
}
