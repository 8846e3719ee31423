import type { FC } from 'hono/jsx'
import type { Session } from '../../accounts/index.ts'
import { Alert } from '../components/alert.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { TimeAgo } from '../components/time-ago.tsx'
import { paths } from '../paths.ts'

type Props = { session: Session; organizations: readonly { name: string; createdAt: Date }[]; problem?: string; name?: string }

export const OrganizationsPage: FC<Props> = ({ session, organizations, problem, name }) => (
  <section class="page">
    <h1>Organizations</h1>
    {organizations.length === 0 ? (
      <p class="muted">An organization holds workspaces and the people who work in them. Create your first one.</p>
    ) : (
      <ul class="list">
        {organizations.map((organization) => (
          <li class="list-row">
            <a class="grow stretched" href={paths.workspaces(organization.name)}>
              <strong>{organization.name}</strong>
            </a>
            <span class="muted meta">
              created <TimeAgo at={organization.createdAt} />
            </span>
          </li>
        ))}
      </ul>
    )}
    {problem && <Alert tone="danger">{problem}</Alert>}
    <Form action={paths.organizations} session={session} class="card row">
      <Field label="New organization" name="name" value={name} placeholder="acme" maxlength={40} pattern="[\w\-]+" required />
      <button type="submit" class={`button ${organizations.length === 0 ? 'button-primary' : ''}`}>
        Create
      </button>
    </Form>
  </section>
)
