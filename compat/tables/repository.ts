import { constant, from, list, name, names, object, of, same, type } from '#compat/engine/entries.ts';
import { connection, listing } from '#compat/engine/pages.ts';
import {
  type CoreArgs,
  type Entry,
  type Given,
  type Row,
  type Run,
  type Site,
  type Table,
  viewOf,
} from '#compat/engine/table.ts';
import { given } from '#compat/tables/arguments.ts';
import { lowerCase, time } from '#compat/tables/values.ts';

/** Files by their paths; those that are not there are left out. */
const FILES: CoreArgs = { paths: ({ paths }) => paths, ref: ({ ref }) => given(ref) };

type('Repository', 'Repository', {
  blobs: listing(
    {
      select: (site, inside) => [site.call('files', FILES, inside)],
      items: (row, site) => row[site.keyOf('files', FILES)] as Row[] | null,
    },
    'RepositoryBlob',
  ),
  branchNames: {
    select: (site) => [site.call('branches', BRANCHES, [site.call('nodes', null, [site.call('name')])])],
    shape: (site) => {
      const key = site.keyOf('branches', BRANCHES);
      return (row) => (row[key] as { nodes: { name: string }[] } | null)?.nodes.map((branch) => branch.name);
    },
  },
  empty: from<{ project: Row }>('project { emptyRepository }', ({ project }) => project.emptyRepository),
  rootRef: from<{ project: Row }>('project { defaultBranch }', ({ project }) => project.defaultBranch),
  tree: tree(),
  commit: object('commit', 'Commit', { ref: ({ ref }) => ref }),
  commits: connection('commits', 'Commit', { ref: ({ ref }) => ref }),
});

/** A shell pattern as a regular expression of the whole name. */
export function patternOf(pattern: string): string {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  return `^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`;
}

const BRANCHES: CoreArgs = {
  regex: ({ searchPattern }: Given) => patternOf(searchPattern),
  limit: ({ limit }) => Math.min(Math.max(limit, 0), 100),
  offset: ({ offset }) => Math.max(offset, 0),
};

interface Content {
  readonly content: string;
  readonly encoding: string;
}

function contentOf({ content, encoding }: Content): string {
  return encoding === 'base64' ? Buffer.from(content, 'base64').toString('utf8') : content;
}

type('RepositoryBlob', 'RepositoryFile', {
  id: of<string>('blobSha', (sha) => `gid://gitlab/Blob/${sha}`),
  rawBlob: from<Content>('content encoding', contentOf),
  rawTextBlob: from<Content>('content encoding', (file) => {
    const text = contentOf(file);
    return text.includes('\0') || text.includes('\uFFFD') ? null : text;
  }),
});

type('Blob', 'TreeEntry', { ...names('name', 'path', 'sha'), type: lowerCase('type') });

type('Commit', 'Commit', {
  ...names('authorEmail', 'authorName', 'message', 'sha', 'title', 'webUrl'),
  author: object('authorUser', 'UserCore'),
  authoredDate: time('authoredDate'),
  description: from<{ message: string }>('message', ({ message }) => message.replace(/^[^\n]*\n?\n?/, '')),
  fullTitle: from<{ message: string }>('message', ({ message }) => message.split('\n', 1)[0]),
  shortId: name('shortSha'),
  diffs: list('diffs', 'Diff'),
  pipelines: connection('pipelines', 'Pipeline'),
});

type('Diff', 'FileDiff', names('diff', 'newPath', 'oldPath'));
type('Branch', 'Branch', { name: name('name') });

type('BranchRule', 'BranchProtectionRule', {
  ...names('name', 'isDefault', 'matchingBranchesCount'),
  branchProtection: same('BranchProtection'),
  isProtected: constant(true),
  createdAt: time('createdAt'),
  // Of changes of a rule nothing is kept but the rule.
  updatedAt: time('createdAt'),
});

type('BranchProtection', 'BranchProtectionRule', { allowForcePush: name('allowForcePush') });

/** Thrown where the folder is not there. */
class NoTree extends Error {}

/** A folder: its files and its last commit, which are asked for by the arguments of the folder itself. */
function tree(): Entry {
  return {
    select: (site) => site.inside(treeTable(site)),
    shape: (site) => {
      const make = site.object(treeTable(site));
      return (row, run) => {
        try {
          return make(row, run);
        } catch (error) {
          if (error instanceof NoTree) return null;
          throw error;
        }
      };
    },
  };
}

function treeTable(folder: Site): Table {
  const ofFolder = (read: (given: Given) => unknown) => (_given: Given, run: Run) => read(run.given(folder));
  const place: CoreArgs = {
    path: ofFolder(({ path }) => path || undefined),
    ref: ofFolder(({ ref }) => given(ref)),
  };
  const blobs = connection('tree', 'Blob', {
    ...place,
    recursive: ofFolder(({ recursive }) => given(recursive)),
    type: () => 'BLOB',
  });
  const last: CoreArgs = { ...place, first: () => 1 };
  return {
    type: 'Tree',
    core: 'Repository',
    scope: folder.key,
    fields: {
      blobs: {
        ...blobs,
        shape: (site) => {
          const make = blobs.shape(site);
          return (row, run) => {
            const page = make(row, run);
            if (page === null) throw new NoTree();
            return page;
          };
        },
      },
      lastCommit: {
        select: (site) => [site.call('commits', last, [site.call('nodes', null, site.inside(viewOf('Commit')))])],
        shape: (site) => {
          const key = site.keyOf('commits', last);
          const make = site.object(viewOf('Commit'));
          return (row, run) => {
            const [commit] = (row[key] as { nodes: Row[] } | null)?.nodes ?? [];
            return commit ? make(commit, run) : null;
          };
        },
      },
    },
  };
}
