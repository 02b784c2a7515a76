import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { deprecated } from '#schema/deprecated.ts';
import { releaseLinkFilter } from '#schema/filters.ts';
import { Milestone } from '#schema/milestones/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { releaseLinkOrder } from '#schema/orders.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { loadBelow } from '#schema/records/below.ts';
import '#schema/users/types.ts';
import { loadPage } from '#schema/connection.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { archivePath, pagePath, refInPath, releasePath } from '#src/domain/namespaces/address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import {
  findReleaseLink,
  LINK,
  listReleaseLinks,
  type ReleaseKey,
  type ReleaseLinkRow,
} from '#src/domain/repository/releases/list.ts';
import { ARCHIVE_FORMATS } from '#src/git/archive.ts';
import { NotFound } from '#src/platform/errors.ts';

/** The project of a release that the caller sees. */
async function projectOf({ loaders }: GraphQLContext, projectId: number): Promise<ProjectRow> {
  const project = await loaders.project.load(projectId);
  if (!project) throw new NotFound('Project');
  return project;
}

export const ReleaseLinkType = builder.enumType('ReleaseLinkType', {
  description: 'What a link of a release leads to.',
  values: {
    OTHER: { value: 'other', description: 'Anything that is none of the others.' },
    RUNBOOK: { value: 'runbook', description: 'Instructions for those who operate it.' },
    IMAGE: { value: 'image', description: 'An image of a container.' },
    PACKAGE: { value: 'package', description: 'A package to install.' },
  } as const,
});

export const ReleaseLink = builder.objectRef<ReleaseLinkRow>('ReleaseLink').implement({
  description: 'Something outside of the repository that belongs to a release, such as a built file.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the link.',
      resolve: ({ id }) => toGlobalId('ReleaseLink', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the link, as the REST API uses it.' }),
    name: t.exposeString('name', { description: 'Name of the link, unique within the release.' }),
    url: t.exposeString('url', { description: 'The address that it leads to, as it was given.' }),
    directAssetPath: t.exposeString('directAssetPath', {
      nullable: true,
      description: 'Path below the address of the release that leads there; null without one.',
    }),
    directAssetUrl: t.string({
      description: 'Permanent URL that leads there: below the page of the release if the link has a path, else `url`.',
      resolve: async ({ url, directAssetPath, release: { projectId, tag } }, _args, context) => {
        if (directAssetPath === null) return url;
        const { fullPath } = await projectOf(context, projectId);
        return context.baseUrl + releasePath(fullPath, tag, `/downloads${directAssetPath}`);
      },
    }),
    linkType: t.expose('type', { type: ReleaseLinkType, description: 'What the link leads to.' }),
    external: t.boolean({
      description: 'Whether the address is on another host than this server.',
      resolve: ({ url }, _args, { baseUrl }) => !`${url}/`.startsWith(`${baseUrl}/`),
    }),
  }),
});

export const ReleaseLinkConnection = connectionOf('ReleaseLink', ReleaseLink);

const ReleaseSource = builder.objectRef<{ format: string; url: string }>('ReleaseSource').implement({
  description: 'An archive of the files of a release.',
  fields: (t) => ({
    format: t.exposeString('format', { description: 'Format of the archive: `zip`, `tar.gz`, `tar.bz2` or `tar`.' }),
    url: t.exposeString('url', { description: 'The URL that the archive is downloaded from.' }),
  }),
});

interface Assets {
  sources: { format: string; url: string }[];
  links: ReleaseLinkRow[];
}

const ReleaseAssets = builder.objectRef<Assets>('ReleaseAssets').implement({
  description: 'What can be downloaded of a release.',
  fields: (t) => ({
    count: t.int({
      description: 'Number of links, and of the archives that the caller can download.',
      resolve: ({ sources, links }) => sources.length + links.length,
    }),
    sources: t.expose('sources', {
      type: [ReleaseSource],
      description: 'Archives of its files in each format; none if the caller cannot read the repository.',
    }),
    links: t.expose('links', { type: [ReleaseLink], description: 'All links of the release, newest first.' }),
  }),
});

interface Urls {
  page: string;
  place: string;
  mayChange: boolean;
  /** The lists that the caller may read. */
  lists: readonly Listed[];
}

type Listed = 'issues' | 'merge_requests';

type UrlFields = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Urls>;

/** The list of issues or merge requests that a release concerns. */
function listUrl({ page, place }: Urls, list: Listed, state: string): string {
  const tag = page.slice(page.lastIndexOf('/-/releases/') + '/-/releases/'.length);
  return `${place}/-/${list}?release_tag=${tag.replaceAll('/', '%2F')}&scope=all&state=${state}`;
}

function anyListUrl(t: UrlFields, list: Listed, state: string, instead: string) {
  const what = list === 'issues' ? 'issues' : 'merge requests';
  return t.string({
    description: `URL of the page that lists the ${state} ${what} of the release, also for those who may not read ${what}.`,
    ...deprecated(`Use \`${instead}\`.`, '0.3.0', '0.5.0'),
    resolve: (urls) => listUrl(urls, list, state),
  });
}

function viewerListUrl(t: UrlFields, list: Listed, state: string) {
  const what = list === 'issues' ? 'issues' : 'merge requests';
  return t.string({
    nullable: true,
    description: `URL of the page that lists the ${state} ${what} of the release; null for those who may not read ${what}.`,
    resolve: (urls) => (urls.lists.includes(list) ? listUrl(urls, list, state) : null),
  });
}

const ReleaseUrls = builder.objectRef<Urls>('ReleaseUrls').implement({
  description: 'The addresses of the pages of a release.',
  fields: (t) => ({
    self: t.exposeString('page', { description: 'URL of the page of the release.' }),
    edit: t.string({
      nullable: true,
      description: 'URL of the page on which it is changed; null for those who may not change it.',
      resolve: ({ page, mayChange }) => (mayChange ? `${page}/edit` : null),
    }),
    openedIssues: anyListUrl(t, 'issues', 'opened', 'viewerOpenedIssues'),
    closedIssues: anyListUrl(t, 'issues', 'closed', 'viewerClosedIssues'),
    openedMergeRequests: anyListUrl(t, 'merge_requests', 'opened', 'viewerOpenedMergeRequests'),
    closedMergeRequests: anyListUrl(t, 'merge_requests', 'closed', 'viewerClosedMergeRequests'),
    mergedMergeRequests: anyListUrl(t, 'merge_requests', 'merged', 'viewerMergedMergeRequests'),
    viewerOpenedIssues: viewerListUrl(t, 'issues', 'opened'),
    viewerClosedIssues: viewerListUrl(t, 'issues', 'closed'),
    viewerOpenedMergeRequests: viewerListUrl(t, 'merge_requests', 'opened'),
    viewerClosedMergeRequests: viewerListUrl(t, 'merge_requests', 'closed'),
    viewerMergedMergeRequests: viewerListUrl(t, 'merge_requests', 'merged'),
  }),
});

const KEY = { projectId: true, tag: true } as const;

async function readsCode(context: GraphQLContext, projectId: number): Promise<boolean> {
  return can(context.actor, 'read_repository', await projectOf(context, projectId));
}

/** The commit of a tag, for those who may read it. */
function commitOf({ loaders }: GraphQLContext, { projectId, tag }: ReleaseKey) {
  return loaders.taggedCommit.load({ projectId, tag });
}

export const Release = builder.prismaObject('Release', {
  description: 'A release of a tag: its notes, and what belongs to it.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the release.',
      resolve: ({ id }) => toGlobalId('Release', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the release, as webhooks use it.' }),
    project: t.field(ownProject),
    tagName: t.exposeString('tag', { description: 'Name of the tag that was released.' }),
    name: t.string({
      description:
        'Name of the release, by default that of its tag; its number if the caller cannot read the repository.',
      select: { id: true, name: true, ...KEY },
      resolve: async ({ id, name, tag, projectId }, _args, context) =>
        (await readsCode(context, projectId)) ? (name ?? tag) : `Release-${id}`,
    }),
    description: t.exposeString('description', { description: 'The release notes, in Markdown; empty without any.' }),
    author: t.relation('author', {
      nullable: true,
      description: 'The user who created the release; null if unknown or gone.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the release was recorded.' }),
    releasedAt: t.expose('releasedAt', {
      type: 'DateTime',
      description: 'When it is released, in the past or the future; by default when it was recorded.',
    }),
    upcoming: t.boolean({
      description: 'Whether it is released in the future.',
      select: { releasedAt: true },
      resolve: ({ releasedAt }) => new Date(releasedAt).getTime() > Date.now(),
    }),
    historical: t.boolean({
      description: 'Whether it was released before it was recorded.',
      select: { releasedAt: true, createdAt: true },
      resolve: ({ releasedAt, createdAt }) => new Date(releasedAt).getTime() < new Date(createdAt).getTime(),
    }),
    commit: t.field({
      type: Commit,
      nullable: true,
      description: 'The commit of the tag; null if it is gone or the caller cannot read the repository.',
      select: KEY,
      resolve: (release, _args, context) => commitOf(context, release),
    }),
    commitPath: t.string({
      nullable: true,
      description: 'Path of the page of that commit; null without it.',
      select: KEY,
      resolve: async (release, _args, context) => {
        const commit = await commitOf(context, release);
        return commit && pagePath(commit.project.fullPath, 'commit', commit.oid);
      },
    }),
    tagPath: t.string({
      nullable: true,
      description: 'Path of the page of the tag; null if the caller cannot read the repository.',
      select: KEY,
      resolve: async ({ projectId, tag }, _args, context) => {
        const project = await projectOf(context, projectId);
        const mayRead = can(context.actor, 'read_repository', project);
        return mayRead ? `/${project.fullPath}/-/tags/${refInPath(tag)}` : null;
      },
    }),
    milestones: t.field({
      type: [Milestone],
      description:
        'The milestones that the release reaches; none for those who may not read milestones of the project.',
      extensions: {
        viaRelation: ['milestones', 'milestone'],
        alsoSelect: { projectId: true },
        guard: async ({ projectId }: { projectId: number }, context: GraphQLContext) =>
          can(context.actor, 'read_milestone', await projectOf(context, projectId)),
        otherwise: [],
      },
      resolve: (): never => {
        throw new Error('Fields beyond a relation are read by their path');
      },
    }),
    assets: t.field({
      type: ReleaseAssets,
      description: 'What can be downloaded of the release.',
      select: {
        ...KEY,
        links: {
          select: {
            ...{ id: true, name: true, url: true, directAssetPath: true, type: true },
            release: { select: { projectId: true, tag: true } },
          },
        },
      },
      resolve: async ({ projectId, tag, links }, _args, context) => {
        const project = await projectOf(context, projectId);
        const mayRead = can(context.actor, 'read_repository', project);
        const url = (format: string) => context.baseUrl + archivePath(project.fullPath, tag, format);
        const sources = mayRead ? ARCHIVE_FORMATS.map((format) => ({ format, url: url(format) })) : [];
        return { sources, links: [...links].reverse() };
      },
    }),
    links: t.field({
      type: ReleaseLinkConnection,
      description: 'The links of the release, newest first.',
      args: { ...pageArgs, ...releaseLinkFilter, ...releaseLinkOrder('ID', 'desc') },
      select: { id: true },
      resolve: (release, args, context, info) =>
        loadPage(args, info, (page) =>
          loadBelow(context, info, { page, selection: LINK }, release, (some) => listReleaseLinks(context, some, page)),
        ),
    }),
    link: t.field({
      type: ReleaseLink,
      description: 'The link of the release with this path.',
      args: {
        directAssetPath: t.arg.string({
          required: true,
          description: 'Path of the link below the address of the release.',
        }),
      },
      select: { id: true },
      resolve: ({ id }, { directAssetPath }, context) => findReleaseLink(context, id, { directAssetPath }),
    }),
    urls: t.field({
      type: ReleaseUrls,
      description: 'The addresses of pages of the release.',
      select: KEY,
      resolve: async ({ projectId, tag }, _args, context) => {
        const project = await projectOf(context, projectId);
        return {
          page: context.baseUrl + releasePath(project.fullPath, tag),
          place: `${context.baseUrl}/${project.fullPath}`,
          mayChange: can(context.actor, 'push_code', project),
          lists: [
            ...(can(context.actor, 'read_issue', project) ? (['issues'] as const) : []),
            ...(can(context.actor, 'read_merge_request', project) ? (['merge_requests'] as const) : []),
          ],
        };
      },
    }),
  }),
});

export const ReleaseConnection = connectionOf('Release', Release);
