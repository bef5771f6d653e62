import { join, resolve } from 'node:path'
import { ConfigError, optional, required, url, type Env } from '@windlass/service/process/env.ts'
import { type Home, prepareHome } from '../home.ts'
import { folderStore, type Bucket, type Store } from './store.ts'

/**
 * The store at a place: a folder, or `s3://bucket/folder` with the settings BACKUP_S3_….
 *
 * @throws {ConfigError} if a setting of the bucket is missing
 */
export async function storeAt(place: string, home: Home, variables: Env): Promise<Store> {
  if (!isBucket(place)) return folderStore(resolve(place))
  // Only those who use it load the client.
  const { bucketStore } = await import('./bucket.ts')
  const scratch = () => {
    prepareHome(home)
    return join(home.folder, 'unsent')
  }
  return bucketStore(bucketOf(place, variables), scratch)
}

/** @throws {ConfigError} if a setting is missing or wrong */
export function bucketOf(place: string, env: Env): Bucket {
  const [, bucket, folder] = /^s3:\/\/([^/]+)\/?(.*?)\/*$/.exec(place) ?? []
  if (!bucket) throw new ConfigError(`${place} names no bucket: s3://bucket/folder`)
  return {
    bucket,
    prefix: folder ? `${folder}/` : '',
    endpoint: optional(env, 'BACKUP_S3_ENDPOINT') && url(env, 'BACKUP_S3_ENDPOINT'),
    region: optional(env, 'BACKUP_S3_REGION') ?? 'us-east-1',
    credentials: {
      accessKeyId: required(env, 'BACKUP_S3_ACCESS_KEY_ID'),
      secretAccessKey: required(env, 'BACKUP_S3_SECRET_ACCESS_KEY'),
    },
  }
}

export const isBucket = (place: string): boolean => place.startsWith('s3://')
