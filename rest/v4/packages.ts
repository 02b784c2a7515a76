import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const LIST = '/projects/:id/packages';
const ONE = `${LIST}/:package_id`;
const FILE = `${LIST}/generic/:package_name/:package_version/:file_name`;

const common = { basic: true, jobToken: true } as const;
const ofPackage = { ...common, numeric: ['package_id'], notFound: { Package: '404 Not Found' } } as const;
const NPM = `${LIST}/npm/:package_name`;
const TAGS = `${LIST}/npm/-/package/:package_name/dist-tags`;
const named = { slashes: ['package_name'], notFound: { Package: '404 Package Not Found' } } as const;
const npm = { ...common, ...named } as const;
const record = { omitNull: ['_links.delete_api_path'] } as const;
const reads = { auth: 'optional', precheck: 'read_package' } as const;

export const packages: Route[] = [
  {
    method: 'PUT',
    path: FILE,
    operation: operations.PublishPackageFileDocument,
    result: 'publishPackageFile.file',
    precheck: 'publish_package',
    ...common,
    slashes: ['file_name'],
    upload: 'file',
    words: { select: { package_file: true } },
    done: { message: '201 Created' },
    doneStatus: 201,
    status: 201,
    constants: { file_store: 1, status: 'default' },
    description: 'Publishes the body as a file of a generic package. The response is the file with `select`.',
  },
  {
    method: 'GET',
    path: FILE,
    operation: operations.PackageFileContentDocument,
    result: 'project.packageFile',
    ...reads,
    ...common,
    slashes: ['file_name'],
    raw: 'package',
    notFound: { PackageFile: '404 Package File Not Found' },
  },
  {
    method: 'GET',
    path: LIST,
    operation: operations.ProjectPackagesDocument,
    result: 'project.packages',
    ...reads,
    ...common,
    ...record,
  },
  {
    method: 'GET',
    path: '/groups/:id/packages',
    operation: operations.GroupPackagesDocument,
    result: 'group.packages',
    basic: true,
    ...record,
  },
  {
    method: 'GET',
    path: ONE,
    operation: operations.ProjectPackageDocument,
    result: 'project.package',
    ...reads,
    ...ofPackage,
    ...record,
  },
  {
    method: 'DELETE',
    path: ONE,
    operation: operations.DeletePackageDocument,
    result: 'deletePackage',
    status: 204,
    precheck: 'delete_package',
    ...ofPackage,
  },
  {
    method: 'GET',
    path: `${ONE}/package_files`,
    operation: operations.PackageFilesDocument,
    result: 'project.package.files',
    ...reads,
    ...ofPackage,
    constants: { pipelines: [] },
  },
  {
    method: 'DELETE',
    path: `${ONE}/package_files/:package_file_id`,
    operation: operations.DeletePackageFileDocument,
    result: 'deletePackageFile',
    status: 204,
    precheck: 'delete_package',
    ...ofPackage,
    numeric: ['package_id', 'package_file_id'],
    notFound: { Package: '404 Not Found', PackageFile: '404 Not Found' },
  },
  {
    method: 'PUT',
    path: NPM,
    operation: operations.PublishNpmPackageDocument,
    result: 'publishNpmPackage',
    precheck: 'publish_package',
    ...npm,
    names: { dist_tags: 'dist-tags', attachments: '_attachments' },
    contents: 'files',
    description: 'Publishes a version of an npm package, as `npm publish` does.',
  },
  {
    method: 'GET',
    path: NPM,
    operation: operations.NpmPackumentDocument,
    result: 'project.npmPackument',
    ...reads,
    ...npm,
  },
  {
    method: 'GET',
    path: `${NPM}/-/:file_name`,
    operation: operations.NpmPackageContentDocument,
    result: 'project.npmPackageFile',
    ...reads,
    ...npm,
    raw: 'package',
    notFound: { PackageFile: '404 Package File Not Found' },
  },
  {
    method: 'GET',
    path: TAGS,
    operation: operations.NpmDistTagsDocument,
    result: 'project.npmDistTags',
    ...reads,
    ...npm,
  },
  {
    method: 'PUT',
    path: `${TAGS}/:tag`,
    operation: operations.SetNpmDistTagDocument,
    result: 'setNpmDistTag',
    status: 204,
    precheck: 'publish_package',
    ...npm,
    text: 'version',
  },
  {
    method: 'DELETE',
    path: `${TAGS}/:tag`,
    operation: operations.DeleteNpmDistTagDocument,
    result: 'deleteNpmDistTag',
    status: 204,
    precheck: 'publish_package',
    ...npm,
    notFound: { Package: '404 Package Not Found', PackageTag: '404 Tag Not Found' },
  },
  {
    method: 'GET',
    path: '/groups/:id/-/packages/npm/:package_name',
    operation: operations.GroupNpmPackumentDocument,
    result: 'group.npmPackument',
    basic: true,
    ...named,
  },
  {
    method: 'GET',
    path: '/groups/:id/-/packages/npm/-/package/:package_name/dist-tags',
    operation: operations.GroupNpmDistTagsDocument,
    result: 'group.npmDistTags',
    basic: true,
    ...named,
  },
];
