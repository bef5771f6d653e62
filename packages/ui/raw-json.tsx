import { CopyButton } from './copy-button.tsx'
import { rawJsonTexts as texts } from './raw-json-texts.ts'

/** A record as the service sent it. */
export function RawJson({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2)
  return (
    <details className="rounded-8 border border-line">
      <summary className="control flex items-center px-4 py-2 text-14 font-medium">{texts.title}</summary>
      <div className="space-y-3 border-t border-line p-4">
        <pre tabIndex={0} className="max-h-96 overflow-auto rounded-6 bg-sunken p-3 font-mono text-13">
          {text}
        </pre>
        <CopyButton value={text} what={texts.copy} />
      </div>
    </details>
  )
}
