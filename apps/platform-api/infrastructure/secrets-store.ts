import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import type { Config } from '../config.ts'

/** Where secrets of others lie: AWS Secrets Manager, or our own store, which speaks its protocol. */
export interface SecretsStore {
  /** Throws where it is not surely kept; it may be kept all the same. */
  put(name: string, value: string): Promise<void>
  /** For good; nothing happens where there is none. Throws where it is not surely gone. */
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
