import { useId, useState } from 'react'
import { ErrorNotice } from '../data-screen.tsx'
import { controlLook, Labelled } from '../field.tsx'
import { readerTimeZone } from '../formats.ts'
import { SectionHeading } from '../page.tsx'
import { chosenTimeZone, deviceTimeZone, followTimeZone } from '../time-zone.ts'
import { describeError } from './errors.ts'
import { timeZoneTexts as texts } from './time-zone-texts.ts'

/** The time zone of each screen, kept with the account by `save`; null: that of the device. */
export function TimeZoneSetting({ save }: { save(timeZone: string | null): Promise<unknown> }) {
  const id = useId()
  const [error, setError] = useState<unknown>()
  const choose = async (zone: string | null) => {
    await save(zone)
    followTimeZone(zone ?? undefined)
    // Every time on the page is written again.
    location.reload()
  }
  return (
    <section className="space-y-4">
      <SectionHeading title={texts.title} lead={texts.lead(readerTimeZone())} />
      {error !== undefined && <ErrorNotice failure={{ ...describeError(error), title: texts.failed }} />}
      <div className="max-w-96">
        <Labelled id={id} label={texts.label}>
          <select
            id={id}
            className={`${controlLook} border-control`}
            defaultValue={chosenTimeZone() ?? ''}
            onChange={event => void choose(event.target.value || null).catch(setError)}
          >
            <option value="">{texts.device(deviceTimeZone())}</option>
            {zones().map(zone => (
              <option key={zone} value={zone}>
                {zone.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </Labelled>
      </div>
    </section>
  )
}

/** UTC is in no browser's list, and a browser may know the chosen zone by another name. */
const zones = (): string[] => [
  ...new Set([chosenTimeZone() ?? 'UTC', 'UTC', ...Intl.supportedValuesOf('timeZone')]),
]
