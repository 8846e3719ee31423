import type { FC } from 'hono/jsx'
import type { AttributeChange, Comparison } from './compare-values.ts'

const symbols = { add: '+', remove: '−', change: '~' } as const
const words = { add: 'added', remove: 'removed', change: 'changed' } as const

/** Attributes one under the other, with what was and what will be. */
export const AttributeRows: FC<Comparison> = ({ changes, unchanged }) => (
  <div class="attributes">
    {changes.map((attribute) => (
      <AttributeRow attribute={attribute} />
    ))}
    {changes.length === 0 && <p class="muted">No attribute changes.</p>}
    {unchanged > 0 && <p class="muted">{unchanged === 1 ? '1 attribute stays' : `${unchanged} attributes stay`}</p>}
  </div>
)

const AttributeRow: FC<{ attribute: AttributeChange }> = ({ attribute: { name, kind, before, after, forcesReplacement } }) => (
  <div class={`attribute attribute-${kind}`}>
    <span class="symbol" aria-hidden="true">
      {symbols[kind]}
    </span>
    <span class="visually-hidden">{words[kind]}</span>
    <code class="attribute-name">{name}</code>
    <div class="attribute-values">
      {before !== undefined && <pre class="before">{before}</pre>}
      {before !== undefined && after !== undefined && (
        <span class="arrow" aria-label="becomes">
          →
        </span>
      )}
      {after !== undefined && <pre class="after">{after}</pre>}
      {forcesReplacement && <span class="tag tone-danger">forces replacement</span>}
    </div>
  </div>
)
