import type { Route } from '#rest/engine/route.ts';
import { BY_HASH } from '#rest/v4/keyset.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'read_repository';
const auth = 'optional';

/** The archive formats by URL suffix. */
const ARCHIVES = { '.zip': 'ZIP', '.tar': 'TAR', '.tar.gz': 'TAR_GZ', '.tar.bz2': 'TAR_BZ2' };

/** Other suffixes of archives, by that of their format. */
const ALSO_CALLED = { 'tar.gz': ['tgz'], 'tar.bz2': ['tbz2', 'tbz', 'tb2', 'bz2'] };

/** What the responses about a file say of it. */
const headersOf = {
  at: 'project.repository.file',
  headers: {
    'X-Gitlab-Blob-Id': 'blob_id',
    'X-Gitlab-Commit-Id': 'commit_id',
    'X-Gitlab-Content-Sha256': 'content_sha256',
    'X-Gitlab-Encoding': 'encoding',
    'X-Gitlab-Execute-Filemode': 'execute_filemode',
    'X-Gitlab-File-Name': 'file_name',
    'X-Gitlab-File-Path': 'file_path',
    'X-Gitlab-Last-Commit-Id': 'last_commit_id',
    'X-Gitlab-Ref': 'ref',
    'X-Gitlab-Size': 'size',
  },
};

const archive = {
  method: 'GET',
  operation: operations.RepositoryArchiveDocument,
  result: 'project.repository.archive',
  auth,
  precheck,
  raw: 'archive',
  filesOfRepository: true,
  commaSeparated: ['exclude_paths'],
} as const;

export const repository: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/repository/tree',
    operation: operations.RepositoryTreeDocument,
    result: 'project.repository.tree',
    keyset: BY_HASH,
    auth,
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/blobs/:sha',
    operation: operations.RepositoryBlobDocument,
    result: 'project.repository.blob',
    auth,
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/blobs/:sha/raw',
    operation: operations.RawBlobDocument,
    description: 'The content of files by its hash, as it is.',
    result: 'project.repository.blob',
    auth,
    precheck,
    raw: 'blob',
    filesOfRepository: true,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/files/:file_path',
    operation: operations.RepositoryFileDocument,
    result: 'project.repository.file',
    auth,
    headersOf,
    filesOfRepository: true,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/files/:file_path/raw',
    operation: operations.RawFileDocument,
    description: 'The content of a file at a ref, as it is.',
    result: 'project.repository.file',
    auth,
    headersOf,
    raw: 'blob',
    filesOfRepository: true,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/files/:file_path/blame',
    operation: operations.BlameFileDocument,
    description: 'The lines of a file with the commits in which they were written, or those of a range.',
    result: 'project.repository.file.blame',
    auth,
    headersOf,
    nested: ['range'],
    alsoRefuses: [413],
    filesOfRepository: true,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/compare',
    operation: operations.RepositoryCompareDocument,
    result: 'project.repository.compare',
    auth,
    precheck,
  },
  {
    method: 'GET',
    path: '/projects/:id/repository/contributors',
    operation: operations.RepositoryContributorsDocument,
    result: 'project.repository.contributors',
    auth,
    precheck,
  },
  ...Object.entries(ARCHIVES).flatMap(([ending, format]) => {
    const others = Object.entries(ALSO_CALLED).flatMap(([word, names]) => (ending === `.${word}` ? names : []));
    const one = (name: string, description: string): Route => ({
      ...archive,
      path: `/projects/:id/repository/archive${name}`,
      description,
      derived: { format: () => format },
    });
    const meaning = 'An archive of all files at a ref, or of those in a directory.';
    return [
      one(ending, meaning),
      ...others.map((name) => one(`.${name}`, `${meaning} The same as \`archive${ending}\`.`)),
    ];
  }),
  {
    ...archive,
    path: '/projects/:id/repository/archive',
    description:
      'An archive of all files at a ref, or of those in a directory, compressed with gzip unless `format` says otherwise.',
    words: {
      format: Object.fromEntries(
        Object.entries(ALSO_CALLED).flatMap(([word, names]) => names.map((name) => [name, word])),
      ),
    },
  },
];
