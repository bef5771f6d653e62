import { Button } from '@windlass/ui/button.tsx'
import { type Choice, SelectField } from '@windlass/ui/choices.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import { useFormField } from '@windlass/ui/form.tsx'
import { useState } from 'react'
import { further as texts } from './further-texts.ts'

/** What the page has loaded already: nothing of it is imported here, so that the page's own scripts stay whole. */
interface FurtherAssetsProps {
  places: readonly number[]
  /** How many have answers. */
  given: number
  named(this: void, place: number, field: 'code' | 'issuer' | 'anchoredTo'): { name: string; label: string }
  pegs: readonly Choice[]
  clean(this: void, text: string): string
  add: string
}

/** Existing assets that the anchor serves beside the first one. */
export default function FurtherAssets({ places, given, named, pegs, clean, add }: FurtherAssetsProps) {
  const [asked, setAsked] = useState(1)
  const shown = Math.max(given, asked)
  const { assign } = useFormField(named(1, 'code').name)
  const remove = (place: number) => {
    assign({ [named(place, 'code').name]: '', [named(place, 'issuer').name]: '' })
    setAsked(place === shown ? shown - 1 : shown)
  }
  const typed = { clean, autoComplete: 'off', spellCheck: false, optional: true, className: 'font-mono' }
  return (
    <section className="space-y-6 rounded-8 border border-line bg-surface p-4 sm:p-5">
      <div>
        <h2 className="font-semibold">{texts.title}</h2>
        <p className="mt-1 text-14 text-soft">{texts.lead}</p>
      </div>
      {places.slice(0, shown).map(place => (
        <div key={place} className="space-y-6">
          <div className="grid gap-x-4 gap-y-6 sm:grid-cols-2 sm:items-end">
            <TextField {...named(place, 'code')} {...typed} />
            <SelectField {...named(place, 'anchoredTo')} required choices={pegs} />
          </div>
          <TextField {...named(place, 'issuer')} hint={texts.issuer} {...typed} />
          <Button look="quiet" onClick={() => remove(place)}>
            {texts.remove(place + 1)}
          </Button>
        </div>
      ))}
      {shown < places.length && <Button onClick={() => setAsked(shown + 1)}>{add}</Button>}
    </section>
  )
}
