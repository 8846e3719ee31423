import type { FC } from 'hono/jsx'

/** `number` from 1. Nothing when one page is all there is. */
export const Pager: FC<{ number: number; size: number; total: number; href: (page: number) => string }> = ({
  number,
  size,
  total,
  href,
}) => {
  const pages = Math.ceil(total / size)
  if (pages <= 1) return null
  return (
    <nav class="pager" aria-label="Pages">
      {number > 1 ? (
        <a class="button" rel="prev" href={href(number - 1)}>
          Newer
        </a>
      ) : (
        <span />
      )}
      <span class="muted">{`Page ${number} of ${pages}`}</span>
      {number < pages ? (
        <a class="button" rel="next" href={href(number + 1)}>
          Older
        </a>
      ) : (
        <span />
      )}
    </nav>
  )
}
