import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { packageFileFilter } from '#schema/filters.ts';
import { sortField } from '#schema/inputs.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { listPackageFiles, otherVersions, type PackageKey } from '#src/domain/packages/list.ts';
import { PACKAGE_KINDS } from '#src/domain/packages/types.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { NotFound } from '#src/platform/errors.ts';

async function projectOf({ loaders }: GraphQLContext, projectId: number): Promise<ProjectRow> {
  const project = await loaders.project.load(projectId);
  if (!project) throw new NotFound('Project');
  return project;
}

export const PackageType = builder.enumType('PackageType', {
  description: 'The kinds of packages, which differ in how they are published.',
  values: {
    GENERIC: { value: 'generic', description: 'Files of any kind, published one by one.' },
    NPM: { value: 'npm', description: 'Packages for JavaScript, published by npm.' },
    PYPI: { value: 'pypi', description: 'Packages for Python, published by twine.' },
    MAVEN: { value: 'maven', description: 'Packages for Java, published by Maven, Gradle or sbt.' },
    HELM: { value: 'helm', description: 'Charts for Kubernetes, installed by Helm.' },
    NUGET: { value: 'nuget', description: 'Packages for .NET, published by dotnet or NuGet.' },
    COMPOSER: { value: 'composer', description: 'Packages for PHP, made of tags and branches for Composer.' },
    TERRAFORM_MODULE: { value: 'terraform_module', description: 'Modules of Terraform and OpenTofu.' },
    CONAN: { value: 'conan', description: 'Packages for C and C++, published by Conan 2.' },
    RUBYGEMS: { value: 'rubygems', description: 'Packages for Ruby, published by gem.' },
    DEBIAN: { value: 'debian', description: 'Source packages of Debian and what is built of them, published by dput.' },
  } as const,
});

export const PackageStatus = builder.enumType('PackageStatus', {
  description: 'Whether a package is shown in lists.',
  values: {
    DEFAULT: { value: 'default', description: 'The package is shown in lists.' },
    HIDDEN: { value: 'hidden', description: 'The package is in no list that does not ask for it.' },
  } as const,
});

const PackageDownload = builder.objectRef<{ url: string }>('PackageDownload').implement({
  description: 'Where a file of a package is downloaded from.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'URL of the file, for those who may read packages.' }),
  }),
});

/** The URL of the registries of a project. */
function registryOf(baseUrl: string, projectId: number): string {
  return `${baseUrl}/api/v4/projects/${projectId}/packages`;
}

interface Links {
  webPath: string;
  deleteUrl: string | null;
}

const PackageLinks = builder.objectRef<Links>('PackageLinks').implement({
  description: 'The addresses of a package.',
  fields: (t) => ({
    webPath: t.exposeString('webPath', { description: 'Path of the page of the package.' }),
    deleteUrl: t.exposeString('deleteUrl', {
      nullable: true,
      description: 'URL at which the REST API deletes the package; null for those who may not delete it.',
    }),
  }),
});

export const PackageFile = builder.prismaObject('PackageFile', {
  description: 'A file that belongs to a version of a package, with its checksums.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the file.',
      resolve: ({ id }) => toGlobalId('PackageFile', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the file, as the REST API uses it.' }),
    packageId: t.exposeInt('packageId', { description: 'Numeric ID of the package.' }),
    fileName: t.exposeString('fileName', { description: 'Name of the file, with the folders that it is in.' }),
    size: t.field({
      type: 'Long',
      description: 'Size of the file, in bytes.',
      select: { size: true },
      resolve: ({ size }) => Number(size),
    }),
    md5: t.exposeString('md5', { description: 'MD5 of the content, as hexadecimal digits.' }),
    sha1: t.exposeString('sha1', { description: 'SHA-1 of the content, as hexadecimal digits.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of the content, as hexadecimal digits.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the file was published.' }),
    download: t.field({
      type: PackageDownload,
      description: 'Where the newest file of this name in the package is downloaded from.',
      select: {
        ...{ projectId: true, fileName: true, sha256: true, details: true },
        package: { select: { type: true, name: true, version: true } },
      },
      resolve: ({ projectId, fileName, sha256, details, package: { type, name, version } }, _args, { baseUrl }) => {
        const path = PACKAGE_KINDS[type].download({ name, version, fileName, sha256, details });
        return { url: `${registryOf(baseUrl, projectId)}/${path}` };
      },
    }),
  }),
});

export const PackageFileConnection = connectionOf('PackageFile', PackageFile);

const PackageFileOrder = builder.enumType('PackageFileOrder', {
  description: 'What files of a package are ordered by.',
  values: {
    ID: { value: 'id', description: 'By when they were published.' },
    FILE_NAME: { value: 'file_name', description: 'By the names of the files.' },
    CREATED_AT: { value: 'created_at', description: 'By when they were recorded.' },
  } as const,
});

const FILE_COLUMNS = { id: 'id', file_name: 'fileName', created_at: 'createdAt' } as const;

const fileArgs = builder.args((t) => ({
  ...pageArgs,
  ...packageFileFilter,
  orderBy: t.field({
    type: PackageFileOrder,
    required: true,
    defaultValue: 'id',
    description: 'What they are ordered by.',
  }),
  sort: sortField(t, 'asc'),
}));

export const Package = builder.prismaObject('Package', {
  description: 'A version of a package that a project publishes.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the package.',
      resolve: ({ id }) => toGlobalId('Package', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the package, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    name: t.exposeString('name', { description: 'Name of the package, which its versions share.' }),
    version: t.exposeString('version', { description: 'The version, unique among packages of the name and type.' }),
    packageType: t.expose('type', { type: PackageType, description: 'How the package is published.' }),
    status: t.expose('status', { type: PackageStatus, description: 'Whether the package is shown in lists.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When its first file was published.' }),
    lastDownloadedAt: t.expose('lastDownloadedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a file was last downloaded, to the day; null if none was.',
    }),
    tags: t.stringList({
      description: 'Names that lead to the version, such as `latest`; none for generic packages.',
      ...viaRelation('tags', 'name'),
    }),
    projectPath: t.string({
      description: 'Full path of the project.',
      select: { projectId: true },
      resolve: async ({ projectId }, _args, context) => (await projectOf(context, projectId)).fullPath,
    }),
    links: t.field({
      type: PackageLinks,
      description: 'The addresses of the package.',
      select: { id: true, projectId: true },
      resolve: async ({ id, projectId }, _args, context) => {
        const project = await projectOf(context, projectId);
        const mayDelete = can(context.actor, 'delete_package', project);
        const url = `${registryOf(context.baseUrl, projectId)}/${id}`;
        return { webPath: `/${project.fullPath}/-/packages/${id}`, deleteUrl: mayDelete ? url : null };
      },
    }),
    installation: t.string({
      description:
        'How the version is installed, for people: a command, or lines of a file, which name the registry of the project.',
      select: { projectId: true, type: true, name: true, version: true, distribution: true },
      resolve: ({ projectId, type, name, version, distribution }, _args, { baseUrl }) =>
        PACKAGE_KINDS[type].install({ name, version, distribution }, registryOf(baseUrl, projectId)),
    }),
    files: t.field({
      type: PackageFileConnection,
      description: 'The files of the package, in the order of publishing unless said otherwise.',
      args: fileArgs,
      select: { id: true },
      resolve: (pack, { orderBy, sort, ...args }, context, info) =>
        pageBelow('PackageFile', pack, args, context, info, (_context, packages, page, selection) =>
          listPackageFiles(context, packages, { orderBy: FILE_COLUMNS[orderBy], sort }, page, selection),
        ),
    }),
  }),
});

export const PackageConnection = connectionOf('Package', Package);

builder.prismaObjectFields(Package, (t) => ({
  versions: t.field({
    type: [Package],
    description: 'The other versions of the package, newest first, at most 100 and none that are hidden.',
    select: { id: true, projectId: true, type: true, name: true },
    resolve: (pack, _args, context, info) => {
      const selection = selectionAt(info, 'Package');
      const load = (keys: readonly PackageKey[]) => otherVersions(context, keys, selection);
      return loaderAt(context, info, selection, load).load(pack) as never;
    },
  }),
}));
