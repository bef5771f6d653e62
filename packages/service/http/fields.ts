import { AmountError } from '@windlass/money/amount.ts'
import { invalid } from './problem.ts'

/**
 * What a reader of amounts and rates makes of a field of a request.
 *
 * @throws {Problem} `validation-failed`, with what the reader says of it.
 */
export function readField<Given, Read>(path: string, given: Given, read: (given: Given) => Read): Read {
  try {
    return read(given)
  } catch (error) {
    if (error instanceof AmountError) throw invalid(path, error.message)
    throw error
  }
}
