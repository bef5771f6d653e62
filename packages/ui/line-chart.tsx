import { FigureTable, Legend, type ChartProps } from './charts.tsx'
import { chartTexts } from './chart-texts.ts'

const strokes = ['stroke-accent', 'stroke-control', 'stroke-good']
const HEIGHT = 40

/** Lines over the same days, and the same figures as a table for people who read rather than look. */
export function LineChart({ caption, labels, series, axis, labelled }: ChartProps) {
  const all = series.flatMap(({ values }) => values)
  const highest = Math.max(...all, Number.MIN_VALUE)
  const lowest = Math.min(0, ...all)
  const last = Math.max(1, labels.length - 1)
  const heightOf = (value: number) => HEIGHT - (HEIGHT * (value - lowest)) / (highest - lowest)
  return (
    <figure className="space-y-3">
      {series.length > 1 && <Legend series={series} />}
      <p aria-hidden="true" className="mb-0 border-b border-dashed border-line text-13 text-soft tabular">
        {axis(highest)}
      </p>
      <svg
        viewBox={`0 -1 ${last} ${HEIGHT + 2}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        className="h-40 w-full overflow-visible border-b border-line"
      >
        {series.map(({ name, values }, index) => (
          <polyline
            key={name}
            points={values.map((value, at) => `${at},${heightOf(value)}`).join(' ')}
            vectorEffect="non-scaling-stroke"
            strokeWidth="2"
            className={`fill-none ${strokes[index] ?? ''}`}
          />
        ))}
        {labels.map((label, at) => (
          <rect key={label} x={at - 0.5} width={1} y={0} height={HEIGHT} className="fill-transparent">
            <title>
              {[label, ...series.map(({ name, shown }) => `${name}: ${shown[at] ?? ''}`)].join('\n')}
            </title>
          </rect>
        ))}
      </svg>
      <div aria-hidden="true" className="flex justify-between text-13 text-soft">
        <span>{labels[0]}</span>
        <span>{labels.at(-1)}</span>
      </div>
      <details className="text-13">
        <summary className="link w-fit">{chartTexts.table}</summary>
        <div className="mt-2 max-h-72 overflow-auto" tabIndex={0} role="region" aria-label={caption}>
          <FigureTable caption={caption} labels={labels} series={series} labelled={labelled} />
        </div>
      </details>
    </figure>
  )
}

interface SparklineProps {
  /** What it shows, in words with its figures. */
  label: string
  values: readonly number[]
}

/** A small line beside its figure. */
export function Sparkline({ label, values }: SparklineProps) {
  const highest = Math.max(...values, Number.MIN_VALUE)
  const points = values.map((value, at) => `${at},${10 - (10 * value) / highest}`).join(' ')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 -1 ${Math.max(1, values.length - 1)} 12`}
      preserveAspectRatio="none"
      className="h-10 w-full overflow-visible"
    >
      <polyline
        points={points}
        vectorEffect="non-scaling-stroke"
        strokeWidth="1.5"
        className="fill-none stroke-accent"
      />
    </svg>
  )
}
