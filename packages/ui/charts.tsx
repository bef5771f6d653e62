import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { chartTexts } from './chart-texts.ts'

interface ChartSeries {
  name: string
  /** Heights, one for each label. Only drawn, so floats are precise enough. */
  values: readonly number[]
  /** The values as people read them. */
  shown: readonly string[]
}

export interface ChartProps {
  /** What the chart shows, for screen readers and above the table. */
  caption: string
  /** Labels of the horizontal axis, first to last. */
  labels: readonly string[]
  /** At most three, stacked in this order. */
  series: readonly ChartSeries[]
  /** The highest value as people read it, on the vertical axis. */
  axis(this: void, highest: number): string
  /** What the labels are; default: days. */
  labelled?: string | undefined
}

interface BarChartProps extends ChartProps {
  /** Beside other charts. */
  small?: boolean
}

const fills = ['fill-accent', 'fill-control', 'fill-good']
const swatches = ['bg-accent', 'bg-control', 'bg-good']
const HEIGHT = 40

/** The figures of one label, as text. */
export const figuresAt = ({ labels, series }: ChartProps, at: number): string =>
  [labels[at], ...series.map(({ name, shown }) => `${name}: ${shown[at] ?? ''}`)].join('\n')

/** Stacked bars with a legend, and the same figures as a table for people who read rather than look. */
export function BarChart({ small = false, ...chart }: BarChartProps) {
  const { labels, series } = chart
  const tops = labels.map((_, at) =>
    series.reduce((sum, { values }) => sum + Math.max(0, values[at] ?? 0), 0),
  )
  const highest = Math.max(...tops, Number.MIN_VALUE)
  return (
    <ChartFrame {...chart} highest={highest}>
      <svg
        viewBox={`0 0 ${labels.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        className={classNames('w-full border-b border-line', small ? 'h-16' : 'h-40')}
      >
        {labels.map((label, at) => {
          let top = HEIGHT
          return (
            <g key={label}>
              <title>{figuresAt(chart, at)}</title>
              <rect x={at} width={1} height={HEIGHT} className="fill-transparent" />
              {series.map(({ name, values }, index) => {
                const height = (HEIGHT * Math.max(0, values[at] ?? 0)) / highest
                top -= height
                return (
                  <rect
                    key={name}
                    x={at + 0.12}
                    y={top}
                    width={0.76}
                    height={height}
                    className={fills[index]}
                  />
                )
              })}
            </g>
          )
        })}
      </svg>
    </ChartFrame>
  )
}

/** What a chart's drawing stands in: legend, axes, and the figures as a table. */
export function ChartFrame({
  children,
  highest,
  ...chart
}: ChartProps & { highest: number; children: ReactNode }) {
  const { caption, labels, series, axis } = chart
  return (
    <figure className="space-y-3">
      {series.length > 1 && <Legend series={series} />}
      <p aria-hidden="true" className="mb-0 border-b border-dashed border-line text-13 text-soft tabular">
        {axis(highest)}
      </p>
      {children}
      <div aria-hidden="true" className="flex justify-between text-13 text-soft">
        <span>{labels[0]}</span>
        <span>{labels.at(-1)}</span>
      </div>
      <details className="text-13">
        <summary className="link w-fit">{chartTexts.table}</summary>
        <div className="mt-2 max-h-72 overflow-auto" tabIndex={0} role="region" aria-label={caption}>
          <FigureTable {...chart} />
        </div>
      </details>
    </figure>
  )
}

function Legend({ series }: Pick<ChartProps, 'series'>) {
  return (
    <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-13 text-soft">
      {series.map(({ name }, index) => (
        <span key={name} className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className={classNames('size-2.5 rounded-[2px]', swatches[index])} />
          {name}
        </span>
      ))}
    </figcaption>
  )
}

type FigureTableProps = Pick<ChartProps, 'caption' | 'labels' | 'series' | 'labelled'>

function FigureTable({ caption, labels, series, labelled = chartTexts.day }: FigureTableProps) {
  return (
    <table className="w-full tabular">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr className="text-left text-soft">
          <th scope="col" className="py-1 pr-4 font-medium">
            {labelled}
          </th>
          {series.map(({ name }) => (
            <th key={name} scope="col" className="py-1 pr-4 text-right font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.map((label, at) => (
          <tr key={label} className="border-t border-line">
            <th scope="row" className="py-1 pr-4 text-left font-normal whitespace-nowrap">
              {label}
            </th>
            {series.map(({ name, shown }) => (
              <td key={name} className="py-1 pr-4 text-right">
                {shown[at]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface FunnelProps {
  /** How many reached each step, in order; none reaches a step that did not reach the one before. */
  steps: readonly { name: string; count: number; shown: string }[]
}

/** How many reached each step of a flow, as bars that shrink. */
export function Funnel({ steps }: FunnelProps) {
  const first = Math.max(1, steps[0]?.count ?? 0)
  return (
    <ol className="space-y-2">
      {steps.map(({ name, count, shown }) => (
        <li key={name} className="space-y-1">
          <p className="flex justify-between gap-4 text-14">
            {name}
            <span className="text-soft tabular">{shown}</span>
          </p>
          <ShareBar values={[count]} whole={first} />
        </li>
      ))}
    </ol>
  )
}

const shareFills = ['fill-accent', 'fill-warn']

interface ShareBarProps {
  /** At most two. Only drawn, so floats are precise enough. */
  values: readonly number[]
  whole: number
}

/** Parts of a whole in one bar, beside a text that says the same. */
export function ShareBar({ values, whole }: ShareBarProps) {
  const shares = values.map(value => Math.min(100, (100 * value) / (whole || 1)))
  return (
    <svg
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      aria-hidden="true"
      className="h-2 w-full rounded-full bg-hover"
    >
      {shares.map((share, at) => (
        <rect
          key={shareFills[at]}
          x={shares.slice(0, at).reduce((sum, each) => sum + each, 0)}
          width={share}
          height="1"
          className={shareFills[at]}
        />
      ))}
    </svg>
  )
}

/** A figure with its name, in a row of such. */
export function Figure({
  name,
  value,
  detail,
}: {
  name: string
  value: string
  detail?: string | undefined
}) {
  return (
    <div className="min-w-0 rounded-8 border border-line bg-surface px-4 py-3">
      <dt className="text-13 text-soft">{name}</dt>
      <dd className="mt-0.5 text-18 font-semibold tabular wrap-anywhere">{value}</dd>
      {detail && <dd className="text-13 text-soft tabular">{detail}</dd>}
    </div>
  )
}
