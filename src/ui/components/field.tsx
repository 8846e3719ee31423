import type { FC } from 'hono/jsx'

type Props = {
  label: string
  name: string
  type?: 'text' | 'password'
  value?: string
  hint?: string
  autocomplete?: string
  required?: boolean
  autofocus?: boolean
  minlength?: number
  maxlength?: number
  pattern?: string
  placeholder?: string
}

/** A labelled line of input. */
export const Field: FC<Props> = ({ label, name, hint, type = 'text', ...input }) => (
  <div class="field">
    <label for={`field-${name}`}>{label}</label>
    <input id={`field-${name}`} name={name} type={type} aria-describedby={hint && `hint-${name}`} autocapitalize="none" {...input} />
    {hint && (
      <p class="hint" id={`hint-${name}`}>
        {hint}
      </p>
    )}
  </div>
)
