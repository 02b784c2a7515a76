import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { PagesAccess } from '#schema/enums.ts';
import { pagesDeploymentFilter, pagesDomainFilter } from '#schema/filters.ts';
import { Job } from '#schema/jobs/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { pagesDeploymentOrder, pagesDomainOrder } from '#schema/orders.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findJobsByIds } from '#src/domain/ci/jobs/list.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { findDomain, listAllDomains, listDomains, listSiteDeployments } from '#src/domain/sites/list.ts';
import { PROOF_PATH } from '#src/domain/sites/proof_file.ts';
import { MAX_PARTS } from '#src/domain/sites/publish.ts';
import { type SiteState, siteStates, urlOf } from '#src/domain/sites/settings.ts';
import { proofRecord } from '#src/domain/sites/verify.ts';
import { mayVisit } from '#src/domain/sites/visit.ts';

/** What decides where the site of a project is. */
const ADDRESS = {
  fullPath: true,
  pagesSettings: { select: { uniqueDomain: true, uniqueDomainEnabled: true, primaryDomain: true } },
} as const;

/** The job with an ID, if there is one and the caller can see it. */
function jobAt(context: GraphQLContext, info: GraphQLResolveInfo, id: number | null) {
  if (id === null) return null;
  const selection = selectionAt(info, 'Job');
  return loaderAt(context, info, selection, async (ids: readonly number[]) => {
    const found = await findJobsByIds(context, ids, selection, (project) => context.loaders.project.load(project));
    const byId = new Map(found.map((job) => [job.id, job]));
    return ids.map((one) => byId.get(one) ?? null);
  }).load(id);
}

export const PagesDeployment = builder.prismaObject('PagesDeployment', {
  description: 'The site of a project, or a part of it, as one job published it.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the deployment, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('PagesDeployment', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the deployment.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    url: t.field({
      type: 'URL',
      nullable: true,
      description: 'Where it is served while it is active; null where the server has no sites.',
      select: { pathPrefix: true, project: { select: ADDRESS } },
      resolve: ({ pathPrefix, project }, _args, context) => urlOf(context, project, project.pagesSettings, pathPrefix),
    }),
    active: t.boolean({
      description: 'Whether it is served: it was neither deleted nor replaced by a later one, nor has it expired.',
      select: { deletedAt: true },
      resolve: ({ deletedAt }) => deletedAt === null,
    }),
    pathPrefix: t.exposeString('pathPrefix', {
      description: 'First part of its path within the site; empty for the site itself.',
    }),
    rootDirectory: t.exposeString('rootDirectory', {
      description: 'The directory of the artifacts that was published.',
    }),
    fileCount: t.exposeInt('fileCount', { description: 'How many files were published.' }),
    size: t.field({
      type: 'Long',
      description: 'Size of the files together, in bytes.',
      select: { size: true },
      resolve: ({ size }) => Number(size),
    }),
    jobId: t.exposeInt('jobId', {
      nullable: true,
      description: 'Numeric ID of the job that made it; null if the job was deleted. See also `job`.',
    }),
    job: t.field({
      type: Job,
      nullable: true,
      description: 'The job that made it; null if it was deleted, and for callers who cannot see it.',
      select: { jobId: true },
      resolve: ({ jobId }, _args, context, info) => jobAt(context, info, jobId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was published.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it expires; null if never.',
    }),
    deletedAt: t.expose('deletedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was deleted or replaced; null while it is active. It can be restored for a day.',
    }),
  }),
});

export const PagesDomain = builder.prismaObject('PagesDomain', {
  description: 'A domain of its own that leads to the site of a project, once it is verified.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the domain, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('PagesDomain', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the domain.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    domain: t.exposeString('domain', { description: 'Name of the host, in lower case.' }),
    url: t.field({
      type: 'URL',
      description: 'The address of the site at the domain.',
      select: { domain: true },
      resolve: ({ domain }, _args, { sites, baseUrl }) => {
        const scheme = sites?.scheme ?? (baseUrl.startsWith('https:') ? 'https' : 'http');
        return `${scheme}://${domain}${/:\d+$/.exec(sites?.host ?? '')?.[0] ?? ''}`;
      },
    }),
    verified: t.boolean({
      description: 'Whether it was proved that the domain belongs to the project; it leads to the site then.',
      select: { verifiedAt: true },
      resolve: ({ verifiedAt }) => verifiedAt !== null,
    }),
    verificationCode: t.exposeString('verificationCode', {
      description: 'The code that proves the domain, in a TXT record or a file.',
    }),
    verificationRecordName: t.string({
      description: 'Name of the TXT record that proves the domain.',
      select: { domain: true, verificationCode: true },
      resolve: (one) => proofRecord(one).name,
    }),
    verificationRecordValue: t.string({
      description: 'Value of the TXT record that proves the domain.',
      select: { domain: true, verificationCode: true },
      resolve: (one) => proofRecord(one).value,
    }),
    verificationFilePath: t.string({
      description:
        'Path of the file at the domain, over HTTP, that proves it in place of the record: its text is the code.',
      resolve: () => PROOF_PATH,
    }),
    enabledUntil: t.expose('enabledUntil', {
      type: 'DateTime',
      nullable: true,
      description:
        'Until when the domain leads to the site unless it is proved again, which the server looks for daily; null if it does not.',
    }),
    autoSslEnabled: t.exposeBoolean('autoSslEnabled', {
      description: 'Whether the proxy before the server is told that it may get certificates for the domain.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the domain was added.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When the domain was last changed or looked at.',
    }),
  }),
});

const PagesDeploymentConnection = connectionOf('PagesDeployment', PagesDeployment);
const PagesDomainConnection = connectionOf('PagesDomain', PagesDomain);

export const Pages = builder.objectRef<SiteState>('Pages').implement({
  description: 'How the site of a project is served.',
  fields: (t) => ({
    url: t.expose('url', {
      type: 'URL',
      nullable: true,
      description: 'Where the site is, at its primary domain if it has one; null where the server has no sites.',
    }),
    access: t.expose('access', { type: PagesAccess, description: 'Who can visit the site.' }),
    uniqueDomainEnabled: t.exposeBoolean('uniqueDomainEnabled', {
      description: 'Whether the site has a host of its own, in place of a path at that of its group.',
    }),
    httpsOnly: t.exposeBoolean('httpsOnly', {
      description: 'Whether visits over HTTP are redirected to HTTPS where the server is reached by that.',
    }),
    primaryDomain: t.exposeString('primaryDomain', {
      nullable: true,
      description: 'The domain to which all other addresses of the site redirect; null for none.',
    }),
    deployments: t.field({
      type: [PagesDeployment],
      description: 'What is served: the site, and its parts with a path prefix; the latest first.',
      resolve: async ({ project }, _args, context, info) => {
        const selection = selectionAt(info, 'PagesDeployment');
        const page = { limit: MAX_PARTS + 1, offset: 0, withTotal: false };
        return loaderAt(context, info, selection, async (projects: readonly ProjectRow[]) => {
          const found = await listSiteDeployments(context, projects, { active: true }, page, selection);
          return found.map((one) => (one instanceof Error ? one : one.nodes));
        }).load(project);
      },
    }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why the artifacts of the latest job with a site could not be published; null if they were.',
    }),
    problemJob: t.field({
      type: Job,
      nullable: true,
      description: 'The job of `problem`; null without one, and for callers who cannot see it.',
      resolve: ({ problemJobId }, _args, context, info) => jobAt(context, info, problemJobId),
    }),
  }),
});

builder.prismaObjectFields(Project, (t) => ({
  pagesAccess: t.expose('pagesAccess', { type: PagesAccess, description: 'Who can visit the site of the project.' }),
  pagesUrl: t.field({
    type: 'URL',
    nullable: true,
    description:
      'Where the site of the project is; null for callers who cannot visit it, and where the server has no sites.',
    select: { pagesAccess: true, ...ADDRESS },
    resolve: (project, _args, context) =>
      mayVisit(context.actor, { access: project.pagesAccess, accessLevel: project.accessLevel })
        ? urlOf(context, project, project.pagesSettings)
        : null,
  }),
}));

builder.objectFields(Project, (t) => ({
  pages: t.field({
    type: Pages,
    nullable: true,
    description: 'How the site of the project is served. For developers.',
    resolve: (project, _args, context, info) =>
      loaderAt(context, info, { key: '' }, (projects: readonly ProjectRow[]) => siteStates(context, projects)).load(
        project,
      ),
  }),
  pagesDeployments: t.field({
    type: PagesDeploymentConnection,
    nullable: true,
    description: 'What was published as the site of the project, latest first. For developers.',
    args: {
      ...pageArgs,
      ...pagesDeploymentFilter,
      ...pagesDeploymentOrder('ID', 'desc'),
      active: t.arg.boolean({ description: 'Only deployments that are served, or only those that are not.' }),
      versioned: t.arg.boolean({ description: 'Only deployments with a path prefix, or only those without one.' }),
    },
    resolve: (project, { active, versioned, ...args }, context, info) =>
      pageBelow('PagesDeployment', project, args, context, info, (_context, projects, page, selection) =>
        listSiteDeployments(context, projects, { active, versioned }, page, selection),
      ),
  }),
  pagesDomains: t.field({
    type: PagesDomainConnection,
    nullable: true,
    description: 'The domains of the site of the project, by name. For masters.',
    args: { ...pageArgs, ...pagesDomainFilter, ...pagesDomainOrder('DOMAIN', 'asc') },
    resolve: (project, args, context, info) =>
      pageBelow('PagesDomain', project, args, context, info, (_context, projects, page, selection) =>
        listDomains(context, projects, page, selection),
      ),
  }),
  pagesDomain: t.field({
    type: PagesDomain,
    description: 'A domain of the site of the project, by its name. For masters.',
    args: { domain: t.arg.string({ required: true, description: 'Name of the host, in any case.' }) },
    resolve: (project, { domain }, context, info) =>
      findDomain(context, project, domain, selectionAt(info, 'PagesDomain')),
  }),
}));

builder.queryFields((t) => ({
  pagesDomains: t.field({
    type: PagesDomainConnection,
    nullable: true,
    description: 'The domains of the sites of all projects, by name. For administrators.',
    args: {
      ...pageArgs,
      ...pagesDomainFilter,
      ...pagesDomainOrder('DOMAIN', 'asc'),
      domain: t.arg.string({ description: 'Only domains of this name, in any case.' }),
    },
    resolve: (_root, { domain, ...args }, context, info) =>
      loadPage(args, info, (page) => listAllDomains(context, domain, page, selectionAt(info, 'PagesDomain'))),
  }),
}));
