import { proxiedAgent } from '@windlass/service/outbound/proxy.ts'
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import type { Config } from '../config.ts'

/** Stores secrets of others: AWS Secrets Manager, or our own store, which speaks its protocol. */
export interface SecretsStore {
  /** Throws where the store did not confirm; the secret may be stored all the same. */
  put(name: string, value: string): Promise<void>
  /** Permanently; nothing happens where there is none. Throws where the store did not confirm. */
  remove(name: string): Promise<void>
  close(): void
}

export function createSecretsStore({ endpoint, region, credentials }: Config['secretsStore']): SecretsStore {
  const client = new SecretsManagerClient({
    region,
    ...(endpoint ? { endpoint } : {}),
    ...(credentials ? { credentials } : {}),
    maxAttempts: 2,
    requestHandler: {
      ...{ connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
      httpsAgent: proxiedAgent(),
    },
  })
  return {
    async put(name, value) {
      try {
        await client.send(new CreateSecretCommand({ Name: name, SecretString: value }))
      } catch (error) {
        if (!(error instanceof ResourceExistsException)) throw error
        // An earlier attempt arrived though its answer did not.
        await client.send(new PutSecretValueCommand({ SecretId: name, SecretString: value }))
      }
    },
    async remove(name) {
      try {
        await client.send(new DeleteSecretCommand({ SecretId: name, ForceDeleteWithoutRecovery: true }))
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error
      }
    },
    close: () => client.destroy(),
  }
}
