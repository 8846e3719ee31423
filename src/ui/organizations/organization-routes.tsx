import { AppError } from '../../platform/errors.ts'
import type { UiDeps } from '../deps.ts'
import { type PageAnswer, type Route, type SignedInVisit, getPage, postForm, redirectTo } from '../http/route.ts'
import { paths } from '../paths.ts'
import { OrganizationsPage } from './organizations-page.tsx'

export const organizationRoutes = ({ organizations }: Pick<UiDeps, 'organizations'>): Route[] => {
  const page = async ({ ctx, session }: SignedInVisit, more: { problem?: string; name?: string } = {}): Promise<PageAnswer> => {
    const { items } = await organizations.listOrganizations(ctx, {})
    return {
      kind: 'page',
      title: 'Organizations',
      body: <OrganizationsPage session={session} organizations={items.map(({ organization }) => organization)} {...more} />,
    }
  }
  return [
    getPage(paths.organizations, (visit) => page(visit)),
    postForm(paths.organizations, async (visit) => {
      const name = (visit.form.get('name') ?? '').trim()
      if (!/^[\w-]{1,40}$/.test(name))
        return { ...(await page(visit, { name, problem: 'The name needs 1 to 40 letters, numbers, dashes or underscores.' })), status: 422 }
      try {
        const created = await organizations.createOrganization(visit.ctx, { name, email: visit.session.email })
        return redirectTo(paths.workspaces(created.name))
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'INVALID') throw error
        return { ...(await page(visit, { name, problem: error.detail })), status: 422 }
      }
    }),
  ]
}
