import { failureTexts, failureTitles } from '@windlass/client/errors.ts'
import { catalogue } from '../catalogue.ts'

// Of the client's errors, which know no catalogue.
catalogue('failures', failureTexts)
catalogue('failureTitles', failureTitles)
