import { classNames } from './class-names.ts'
import { strengthTexts as texts } from './strength-texts.ts'

const looks = ['bg-bad', 'bg-bad', 'bg-warn', 'bg-good', 'bg-good']

/** Four bars and a word; nothing for an empty field. */
export function StrengthMeter({ strength }: { strength: 0 | 1 | 2 | 3 | 4 | undefined }) {
  return (
    <div className="flex min-h-5 items-center gap-3 text-13">
      <span aria-hidden="true" className="flex w-40 gap-1">
        {[1, 2, 3, 4].map(bar => (
          <span
            key={bar}
            className={classNames(
              'h-1 flex-1 rounded-full',
              strength !== undefined && bar <= Math.max(1, strength) ? looks[strength] : 'bg-line',
            )}
          />
        ))}
      </span>
      <span role="status" className="text-soft">
        {strength !== undefined && (
          <>
            <span className="sr-only">{texts.passwordStrength}: </span>
            {texts.strength[strength]}
          </>
        )}
      </span>
    </div>
  )
}
