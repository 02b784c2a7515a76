import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { releaseLinkFilter } from '#schema/filters.ts';
import { sortField } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { releaseLinkOrder } from '#schema/orders.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Release, ReleaseConnection, ReleaseLink, ReleaseLinkConnection } from '#schema/releases/types.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import {
  findRelease,
  findReleaseLink,
  latestReleases,
  linkedRelease,
  listReleaseLinks,
  listReleases,
} from '#src/domain/repository/releases/list.ts';
import { onlyOne } from '#src/platform/records/parents.ts';

const ReleaseOrder = builder.enumType('ReleaseOrder', {
  description: 'What releases are ordered by.',
  values: {
    RELEASED_AT: { value: 'released_at', description: 'By when they are released.' },
    CREATED_AT: { value: 'created_at', description: 'By when they were recorded.' },
  } as const,
});

const COLUMNS = { released_at: 'releasedAt', created_at: 'createdAt' } as const;

const listArgs = builder.args((t) => ({
  ...pageArgs,
  orderBy: t.field({
    type: ReleaseOrder,
    required: true,
    defaultValue: 'released_at',
    description: 'What they are ordered by.',
  }),
  sort: sortField(t, 'desc'),
  updatedAfter: t.field({ type: 'DateTime', description: 'Only releases last changed at that moment or later.' }),
  updatedBefore: t.field({ type: 'DateTime', description: 'Only releases last changed at that moment or earlier.' }),
}));

builder.objectFields(Project, (t) => ({
  releases: t.field({
    type: ReleaseConnection,
    description: 'The releases of the project. Guests of a private project see their notes and links alone.',
    args: listArgs,
    resolve: (project, { orderBy, sort, updatedAfter, updatedBefore, ...args }, context, info) => {
      context.loaders.noteProject(project);
      const filter = { orderBy: COLUMNS[orderBy], sort, updatedAfter, updatedBefore };
      return pageBelow('Release', project, args, context, info, (_context, projects, page, selection) =>
        listReleases(context, projects, filter, page, selection),
      );
    },
  }),
  release: t.field({
    type: Release,
    description: 'The release of a tag of the project, for those who may read the repository.',
    args: { tag: t.arg.string({ required: true, description: 'Name of the tag, without `refs/tags/`.' }) },
    resolve: (project, { tag }, context, info) => {
      context.loaders.noteProject(project);
      return findRelease(context, project, tag, selectionAt(info, 'Release'));
    },
  }),
  releaseLinks: t.field({
    type: ReleaseLinkConnection,
    description: 'The links of a release of the project, newest first. Guests of a private project see them, too.',
    args: {
      ...pageArgs,
      ...releaseLinkFilter,
      ...releaseLinkOrder('ID', 'desc'),
      tag: t.arg.string({ required: true, description: 'Name of the tag that was released.' }),
    },
    resolve: async (project, { tag, ...args }, context, info) => {
      context.loaders.noteProject(project);
      const release = await linkedRelease(context, project, tag);
      return loadPage(args, info, async (page) => onlyOne(await listReleaseLinks(context, [release], page)));
    },
  }),
  releaseLink: t.field({
    type: ReleaseLink,
    description: 'A link of a release of the project by its ID.',
    args: {
      tag: t.arg.string({ required: true, description: 'Name of the tag that was released.' }),
      id: t.arg({ ...idOf('ReleaseLink'), required: true, description: 'Numeric ID of the link.' }),
    },
    resolve: async (project, { tag, id }, context) => {
      context.loaders.noteProject(project);
      return findReleaseLink(context, (await linkedRelease(context, project, tag)).id, { id });
    },
  }),
  latestRelease: t.field({
    type: Release,
    nullable: true,
    description: 'The release that was released last, none of the future; null without one.',
    resolve: (project, _args, context, info) => {
      context.loaders.noteProject(project);
      const selection = selectionAt(info, 'Release');
      const load = (projects: readonly ProjectRow[]) => latestReleases(context, projects, selection);
      return loaderAt(context, info, selection, load).load(project);
    },
  }),
}));
