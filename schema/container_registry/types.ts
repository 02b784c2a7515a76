import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { containerTagFilter } from '#schema/filters.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { containerTagOrder } from '#schema/orders.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findTag, firstTags, listTags } from '#src/domain/container_registry/list.ts';
import { imagePath } from '#src/domain/container_registry/names.ts';

const PATH = { name: true, projectFullPath: true } as const;

interface Named {
  name: string;
  projectFullPath: string;
}

/** The name by which clients pull, behind the host of the registry. */
const pathOf = ({ projectFullPath, name }: Named) => imagePath(projectFullPath, name);
const locationOf = (repository: Named, baseUrl: string) => `${new URL(baseUrl).host}/${pathOf(repository)}`;

export const ContainerTag = builder.prismaObject('ContainerTag', {
  description: 'A name that leads to an image in the container registry.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the tag.',
      resolve: ({ id }) => toGlobalId('ContainerTag', id),
    }),
    name: t.exposeString('name', { description: 'Name of the tag, such as `latest`.' }),
    path: t.string({
      description: 'Name of the image with the tag, without the host.',
      select: { name: true, repository: { select: PATH } },
      resolve: ({ name, repository }) => `${pathOf(repository)}:${name}`,
    }),
    location: t.string({
      description: 'What clients pull: host, name of the image, and tag.',
      select: { name: true, repository: { select: PATH } },
      resolve: ({ name, repository }, _args, { baseUrl }) => `${locationOf(repository, baseUrl)}:${name}`,
    }),
    digest: t.string({
      description: 'Digest of the manifest that the tag leads to.',
      select: { manifest: { select: { digest: true } } },
      resolve: ({ manifest }) => manifest.digest,
    }),
    revision: t.string({
      nullable: true,
      description: 'Digest of the configuration of the image, without `sha256:`; null for an index of several.',
      select: { manifest: { select: { configDigest: true } } },
      resolve: ({ manifest }) => hexOf(manifest.configDigest),
    }),
    shortRevision: t.string({
      nullable: true,
      description: 'The first nine digits of the revision, null without one.',
      select: { manifest: { select: { configDigest: true } } },
      resolve: ({ manifest }) => hexOf(manifest.configDigest)?.slice(0, 9) ?? null,
    }),
    mediaType: t.string({
      description: 'Media type of the manifest that the tag leads to.',
      select: { manifest: { select: { mediaType: true } } },
      resolve: ({ manifest }) => manifest.mediaType,
    }),
    totalSize: t.field({
      type: 'Long',
      description: 'Size of the configuration and the layers, in bytes; of an index, those of its images together.',
      select: { manifest: { select: { totalSize: true } } },
      resolve: ({ manifest }) => Number(manifest.totalSize),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When a tag of this name was first pushed.' }),
    pushedAt: t.expose('pushedAt', { type: 'DateTime', description: 'When the tag was last pushed.' }),
  }),
});

function hexOf(digest: string | null): string | null {
  return digest?.slice(digest.indexOf(':') + 1) ?? null;
}

const ContainerTagConnection = connectionOf('ContainerTag', ContainerTag);

export const ContainerRepository = builder.prismaObject('ContainerRepository', {
  description: 'Images of one name in the container registry of a project.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the repository.',
      resolve: ({ id }) => toGlobalId('ContainerRepository', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the repository, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    name: t.exposeString('name', {
      description: 'What stands behind the path of the project; empty for the images of the project itself.',
    }),
    path: t.string({
      description: 'Name of the images, without the host.',
      select: PATH,
      resolve: (repository) => pathOf(repository),
    }),
    location: t.string({
      description: 'What clients pull, without a tag: host and name of the images.',
      select: PATH,
      resolve: (repository, _args, { baseUrl }) => locationOf(repository, baseUrl),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the repository was first pushed to.' }),
    tagsCount: t.exposeInt('tagsCount', { description: 'How many tags the repository has.' }),
    size: t.expose('size', {
      type: 'Long',
      description: 'Size of the configurations and layers in the repository, each once, in bytes.',
    }),
    tags: t.field({
      type: ContainerTagConnection,
      description: 'The tags of the repository, in the order of their names.',
      args: { ...pageArgs, ...containerTagFilter, ...containerTagOrder('NAME', 'asc') },
      select: { id: true },
      resolve: (repository, args, context, info) =>
        pageBelow('ContainerTag', repository, args, context, info, (_context, repositories, page, selection) =>
          listTags(context, repositories, page, selection),
        ),
    }),
    firstTags: t.field({
      type: [ContainerTag],
      description: 'The first 100 tags of the repository, in the order of their names.',
      select: { id: true },
      resolve: (repository, _args, context, info) => {
        const selection = selectionAt(info, 'ContainerTag');
        const load = (repositories: readonly { id: number }[]) => firstTags(context, repositories, selection);
        return loaderAt(context, info, selection, load).load(repository) as never;
      },
    }),
    tag: t.field({
      type: ContainerTag,
      description: 'A tag of the repository by its name.',
      args: { name: t.arg.string({ required: true, description: 'Name of the tag, such as `latest`.' }) },
      select: { id: true },
      resolve: (repository, { name }, context, info) =>
        findTag(context, repository, name, selectionAt(info, 'ContainerTag')),
    }),
  }),
});

export const ContainerRepositoryConnection = connectionOf('ContainerRepository', ContainerRepository);
