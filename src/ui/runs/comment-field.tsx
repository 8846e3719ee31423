import type { FC } from 'hono/jsx'

/** Goes with an action; shown in the activity of the run. */
export const CommentField: FC<{ id: string }> = ({ id }) => (
  <div class="field">
    <label for={`comment-${id}`}>Comment</label>
    <input id={`comment-${id}`} name="comment" maxlength={1000} placeholder="optional" autocomplete="off" />
  </div>
)
