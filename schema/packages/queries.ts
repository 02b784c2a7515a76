import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import { Group } from '#schema/groups/types.ts';
import { sortField } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Package, PackageConnection, PackageFile, PackageStatus, PackageType } from '#schema/packages/types.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findPackage, findPackageFile, listGroupPackages, listPackages } from '#src/domain/packages/list.ts';
import {
  contentOfNpmDocument,
  findNpmDocument,
  findNpmDocumentOfGroup,
  findNpmDocumentOfServer,
  type NpmDocument,
  npmDistTags,
  npmDistTagsOfGroup,
  npmDistTagsOfServer,
  type RegistryOf,
} from '#src/domain/packages/npm.ts';

const PackageOrder = builder.enumType('PackageOrder', {
  description: 'What packages are ordered by.',
  values: {
    CREATED_AT: { value: 'created_at', description: 'By when they were first published.' },
    NAME: { value: 'name', description: 'By the names of the packages.' },
    VERSION: { value: 'version', description: 'By their versions, as texts.' },
    TYPE: { value: 'type', description: 'By how they are published.' },
  } as const,
});

const COLUMNS = { created_at: 'createdAt', name: 'name', version: 'version', type: 'type' } as const;

const listArgs = builder.args((t) => ({
  ...pageArgs,
  orderBy: t.field({
    type: PackageOrder,
    required: true,
    defaultValue: 'created_at',
    description: 'What they are ordered by.',
  }),
  sort: sortField(t, 'asc'),
  packageType: t.field({ type: PackageType, description: 'Only packages of this type.' }),
  packageName: t.string({ description: 'Only packages with this text in their names, in any case.' }),
  packageVersion: t.string({ description: 'Only packages with exactly this version.' }),
  status: t.field({ type: PackageStatus, description: 'Only packages with this status; `DEFAULT` when left out.' }),
}));

const NpmDocumentType = builder.objectRef<NpmDocument>('NpmDocument').implement({
  description: 'The document of an npm package, as clients of npm read it.',
  fields: (t) => ({
    version: t.exposeString('version', {
      nullable: false,
      description: 'A text that changes with the content, and is found without building it.',
    }),
    content: t.field({
      type: 'JSON',
      description:
        'The versions of the package, the newest that have 4 MiB together, and its tags. Null if its version is in `unless`.',
      args: {
        unless: t.arg.stringList({
          description: 'Versions of the document that the caller has already, and does not want again.',
        }),
      },
      resolve: (document, { unless }, context) =>
        unless?.includes(document.version) ? null : contentOfNpmDocument(context, document),
    }),
  }),
});

builder.objectFields(Project, (t) => ({
  packages: t.field({
    type: PackageConnection,
    description: 'The packages of the project, the first published first. For reporters of a private project.',
    args: listArgs,
    resolve: (project, { orderBy, sort, packageType, packageName, packageVersion, status, ...args }, context, info) => {
      context.loaders.noteProject(project);
      const given = { type: packageType, name: packageName, version: packageVersion, status };
      const filter = { orderBy: COLUMNS[orderBy], sort, ...given };
      return pageBelow('Package', project, args, context, info, (_context, projects, page, selection) =>
        listPackages(context, projects, filter, page, selection),
      );
    },
  }),
  package: t.field({
    type: Package,
    description: 'A package of the project by its ID.',
    args: { id: t.arg({ ...idOf('Package'), required: true, description: 'Numeric ID of the package.' }) },
    resolve: (project, { id }, context, info) => {
      context.loaders.noteProject(project);
      return findPackage(context, project, id, selectionAt(info, 'Package'));
    },
  }),
  packageFile: t.field({
    type: PackageFile,
    description: 'The newest file of this name in a generic package of the project.',
    args: {
      packageName: t.arg.string({ required: true, description: 'Name that the versions of the package share.' }),
      packageVersion: t.arg.string({ required: true, description: 'The version that has the file.' }),
      fileName: t.arg.string({ required: true, description: 'Name of the file, with the folders that it is in.' }),
    },
    resolve: (project, { packageName: name, packageVersion: version, fileName }, context, info) =>
      findPackageFile(context, project, { type: 'generic', name, version, fileName }, selectionAt(info, 'PackageFile')),
  }),
  npmPackageFile: t.field({
    type: PackageFile,
    description: 'The archive of a version of an npm package of the project.',
    args: {
      packageName: t.arg.string({ required: true, description: 'Name of the package, with its scope.' }),
      fileName: t.arg.string({ required: true, description: 'Name of the archive, such as `app-1.0.0.tgz`.' }),
    },
    resolve: (project, { packageName: name, fileName }, context, info) =>
      findPackageFile(
        context,
        project,
        { type: 'npm', name, version: null, fileName },
        selectionAt(info, 'PackageFile'),
      ),
  }),
  npmPackument: t.field({
    type: 'JSON',
    description: 'The document of an npm package of the project: its versions and tags, as clients of npm read it.',
    args: { packageName: t.arg.string({ required: true, description: 'Name of the package, with its scope.' }) },
    resolve: async (project, { packageName }, context) => {
      const document = await findNpmDocument(context, project, packageName, registriesAt(context.baseUrl));
      return contentOfNpmDocument(context, document);
    },
  }),
  npmDocument: t.field({
    type: NpmDocumentType,
    description: 'The document of an npm package of the project. It is only built if its `content` is selected.',
    args: { packageName: t.arg.string({ required: true, description: 'Name of the package, with its scope.' }) },
    resolve: (project, { packageName }, context) =>
      findNpmDocument(context, project, packageName, registriesAt(context.baseUrl)),
  }),
  npmDistTags: t.field({
    type: 'JSON',
    description: 'The versions that the tags of an npm package of the project lead to, by tag.',
    args: { packageName: t.arg.string({ required: true, description: 'Name of the package, with its scope.' }) },
    resolve: (project, { packageName }, context) => npmDistTags(context, project, packageName),
  }),
}));

/** The URL of the npm registry of a project by its ID. */
function registriesAt(baseUrl: string): RegistryOf {
  return (projectId) => `${baseUrl}/api/v4/projects/${projectId}/packages/npm`;
}

const groupArgs = builder.args((t) => ({
  ...listArgs,
  excludeSubgroups: t.boolean({
    required: true,
    defaultValue: false,
    description: 'Whether only projects directly in the group count.',
  }),
}));

builder.objectFields(Group, (t) => ({
  packages: t.field({
    type: PackageConnection,
    description: 'The packages of the projects in the group and its subgroups that the caller may read.',
    args: groupArgs,
    resolve: (
      group,
      { orderBy, sort, packageType, packageName, packageVersion, status, excludeSubgroups, ...args },
      context,
      info,
    ) => {
      const given = { type: packageType, name: packageName, version: packageVersion, status };
      const filter = { orderBy: COLUMNS[orderBy], sort, excludeSubgroups, ...given };
      return pageBelow('Package', group, args, context, info, (_context, groups, page, selection) =>
        listGroupPackages(context, groups, filter, page, selection),
      );
    },
  }),
  npmPackument: t.field({
    type: 'JSON',
    description:
      'The document of an npm package of all projects in the group and its subgroups that the caller may read, as clients of npm read it.',
    args: { packageName: t.arg.string({ required: true, description: 'Name of the package, with its scope.' }) },
    resolve: async (group, { packageName }, context) => {
      const document = await findNpmDocumentOfGroup(context, group, packageName, registriesAt(context.baseUrl));
      return contentOfNpmDocument(context, document);
    },
  }),
  npmDocument: t.field({
    type: NpmDocumentType,
    description:
      'The document of an npm package of all projects in the group and its subgroups that the caller may read. It is only built if its `content` is selected.',
    args: { packageName: t.arg.string({ required: true, description: 'Name of the package, with its scope.' }) },
    resolve: (group, { packageName }, context) =>
      findNpmDocumentOfGroup(context, group, packageName, registriesAt(context.baseUrl)),
  }),
  npmDistTags: t.field({
    type: 'JSON',
    description: 'The versions that the tags of an npm package lead to, by tag, in all projects below the group.',
    args: { packageName: t.arg.string({ required: true, description: 'Name of the package, with its scope.' }) },
    resolve: (group, { packageName }, context) => npmDistTagsOfGroup(context, group, packageName),
  }),
}));

builder.queryFields((t) => ({
  npmDocument: t.field({
    type: NpmDocumentType,
    description:
      'The document of an npm package of all projects of the server whose packages the caller may read. It is only built if its `content` is selected.',
    args: { packageName: t.arg.string({ required: true, description: 'Name of the package, with its scope.' }) },
    resolve: (_root, { packageName }, context) =>
      findNpmDocumentOfServer(context, packageName, registriesAt(context.baseUrl)),
  }),
  npmDistTags: t.field({
    type: 'JSON',
    description:
      'The versions that the tags of an npm package lead to, by tag, in all projects whose packages the caller may read.',
    args: { packageName: t.arg.string({ required: true, description: 'Name of the package, with its scope.' }) },
    resolve: (_root, { packageName }, context) => npmDistTagsOfServer(context, packageName),
  }),
}));
