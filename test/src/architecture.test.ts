import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { LONG } from '../support/long.ts';

const root = packagePath('.');

/** What each source file of a layer imports: `#layer/...` for own files however they were named, else the package. */
function importsOf(layer: string): { file: string; imported: string }[] {
  const files = globSync(`${layer}/**/*.ts`, { cwd: root }).filter((file) => !file.includes('generated'));
  expect(files.length).toBeGreaterThan(3);
  return files.flatMap((name) => {
    const text = readFileSync(path.join(root, name), 'utf8');
    const found = text.matchAll(/(?:^|\n)\s*(?:import|export)\s(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/g);
    return [...found].map((match) => {
      const specifier = match[1] ?? match[2] ?? '';
      const relative = path.relative(root, path.resolve(root, path.dirname(name), specifier));
      return {
        file: name.replaceAll('\\', '/'),
        imported: specifier.startsWith('.') ? `#${relative.replaceAll('\\', '/')}` : specifier,
      };
    });
  });
}

/** Where all is put together. */
const COMPOSITION = [
  'app',
  'app_options',
  'entrance',
  'main',
  'mount_compat',
  'mount_graphql',
  'mount_mcp',
  'mount_pages',
  'mount_rest',
  'readers',
].map((name) => `src/entrances/server/${name}.ts`);

/** From the ground up (docs/architecture.md): a file imports from its own floor and from those below. */
const FLOORS = ['base', 'git', 'platform', 'access', 'domain', 'entrances'];
const floorOf = (file: string) => FLOORS.indexOf(file.split('/')[1] ?? '');

/** The rooms of the domain from the ground up: each imports from those of the rows above it alone. */
const DOMAIN = [
  ['administration', 'changes', 'namespaces'],
  ['users'],
  ['applications', 'groups'],
  ['projects'],
  ['activity', 'members', 'repository'],
  ['imports', 'live', 'uploads'],
  ['ci', 'container_registry', 'feature_flags', 'integrations', 'snippets'],
  ['packages', 'sites', 'terraform_states'],
  ['lifecycle', 'tracking'],
  ['chat_commands', 'notifications', 'project_archives', 'webhooks'],
  ['gitlab_archives'],
  ['group_archives', 'mail_in', 'placeholder_users', 'remote_imports'],
  ['bulk_imports'],
];

/** `src/domain/ci` of a file in it, and `src/base` and `src/git`, which are one room each; null for what lies beside the rooms of its floor. */
const roomOf = (file: string) => /^src\/(?:base|git|\w+\/\w+)(?=\/)/.exec(file)?.[0] ?? null;

/** What imports what in a layer, as files or as whatever a function makes of their names. */
function graphOf(layer: string, nodeOf = (file: string): string | null => file): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const { file, imported } of importsOf(layer)) {
    if (!imported.startsWith(`#${layer}/`)) continue;
    const [from, to] = [nodeOf(file), nodeOf(imported.slice(1))];
    if (from === null || to === null || from === to) continue;
    edges.set(from, (edges.get(from) ?? new Set()).add(to));
  }
  return edges;
}

/** A circle in a graph, from a node back to itself; empty without any. */
function circleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>();
  const visit = (node: string, trail: string[]): string[] => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node];
    if (done.has(node)) return [];
    for (const next of edges.get(node) ?? []) {
      const circle = visit(next, [...trail, node]);
      if (circle.length > 0) return circle;
    }
    done.add(node);
    return [];
  };
  for (const node of edges.keys()) {
    const circle = visit(node, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

/** The child of a folder that a file is in; files beside its child folders are one together. Null for what is elsewhere. */
function childOf(folder: string, file: string): string | null {
  if (!file.startsWith(`${folder}/`)) return null;
  const [child = '', ...below] = file.slice(folder.length + 1).split('/');
  return below.length === 0 ? 'loose' : child;
}

/** The nodes of a graph from which imports lead back to them. */
function knotIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return [...edges.keys()].filter((start) => {
    const reached = new Set<string>();
    const visit = (node: string) => {
      for (const next of edges.get(node) ?? []) {
        if (reached.has(next)) continue;
        reached.add(next);
        visit(next);
      }
    };
    visit(start);
    return reached.has(start);
  });
}

/** Folders whose child folders import each other in a circle: exceptions from the rule below. The list only shrinks. */
const KNOTS: Record<string, string> = {
  'src/access/credentials': 'loose sessions tokens',
  'src/access/sign_in': 'loose passkeys two_factor',
  'src/entrances/seed': 'content loose',
};

/** Where JSON is parsed that this server, its operator or its installation wrote, or that is short by another limit. */
const PARSERS_OF_OWN_TEXT = [
  'src/platform/outbound/json_template.ts',
  'src/domain/webhooks/url_variables.ts',
  // The guard itself, and a piece of a text whose length it has counted.
  'src/base/json.ts',
  'rest/engine/large_json.ts',
  // What the database keeps, which came in through the guard.
  'src/platform/database/db.ts',
  'src/access/credentials/token_owner.ts',
  'src/access/sign_in/challenges.ts',
  'src/access/oauth/keys.ts',
  'src/domain/ci/pipelines/given_variables.ts',
  'src/domain/packages/npm.ts',
  'src/domain/remote_imports/run.ts',
  // Cursors that it has written itself.
  'src/domain/remote_imports/gitlab/pages.ts',
  'src/domain/remote_imports/update_run.ts',
  // What the server has written to its store.
  'src/domain/sites/archive.ts',
  'src/domain/repository/contributors_kept.ts',
  'src/domain/repository/languages/count.ts',
  'src/domain/repository/languages/over_time.ts',
  'src/domain/webhooks/custom_headers.ts',
  'src/domain/integrations/stored.ts',
  'src/domain/webhooks/tell_integration.ts',
  'src/domain/webhooks/mail_event.ts',
  'src/domain/webhooks/request.ts',
  'src/domain/webhooks/sample.ts',
  'schema/hooks/delivery.ts',
  'schema/hooks/delivery_payload.ts',
  'schema/subscriptions/operation.ts',
  // What this server signed.
  'src/access/oauth/jwt.ts',
  'src/domain/uploads/lfs/token.ts',
  // Files of the installation and the operator, and what commands of the operator read.
  'src/platform/config/sign_in_providers.ts',
  'src/platform/config/trusted_documents.ts',
  'src/platform/database/binaries.ts',
  'src/platform/database/lock.ts',
  'src/platform/lifecycle/prepared.ts',
  'src/platform/package_root.ts',
  'src/platform/texts/texts.ts',
  'src/domain/uploads/s3_credentials.ts',
  'src/entrances/backup/input.ts',
  'src/entrances/runner/config.ts',
  'rest/openapi/responses.ts',
];

const listed = (found: { file: string; imported: string }[]) =>
  found.map(({ file, imported }) => `${file} → ${imported}`);

describe('Who may import whom', () => {
  it(
    'src imports neither schema nor rest, but where all is put together, and of pages what makes them, in the web alone',
    LONG,
    () => {
      const found = importsOf('src').filter(({ file, imported }) => {
        if (imported.startsWith('#pages/engine/') && file.startsWith('src/entrances/web/')) return false;
        return /^#(schema|rest|pages|mcp|compat)\//.test(imported) && !COMPOSITION.includes(file);
      });
      expect(listed(found)).toEqual([]);
    },
  );

  it('the domain knows nothing of GraphQL', () => {
    const foreign = /^(graphql|graphql-yoga|dataloader|@pothos\/)/;
    const found = importsOf('src').filter(
      ({ file, imported }) => foreign.test(imported) && !COMPOSITION.includes(file),
    );
    expect(listed(found)).toEqual([]);
  });

  it('the floors are these folders', () => {
    const found = readdirSync(path.join(root, 'src')).filter((name) => name !== 'generated');
    expect(found.sort()).toEqual([...FLOORS].sort());
  });

  it('floors import from below alone, types too', LONG, () => {
    const found = importsOf('src').filter(({ file, imported }) => {
      const isOwn = imported.startsWith('#src/') && !imported.startsWith('#src/generated/');
      return isOwn && floorOf(imported.slice(1)) > floorOf(file);
    });
    expect(listed(found)).toEqual([]);
  });

  it(
    'rooms extend Context and Jobs alone; any other type of this project is imported, so that it can be found',
    LONG,
    () => {
      const files = globSync('{src,schema,rest,pages,mcp,compat}/**/*.ts', { cwd: root });
      const found = files.flatMap((file) => {
        const text = readFileSync(path.join(root, file), 'utf8');
        const blocks = [...text.matchAll(/^declare module '([#.][^']+)' \{\n((?: .*\n|\n)*)\}/gm)];
        return blocks.flatMap(([, module = '', body = '']) => {
          const names = [...body.matchAll(/^ {2}\w+ (\w+)/gm)].map(([, name = '']) => name);
          return names.map((name) => ({ file, extended: `${module} ${name}` }));
        });
      });
      const allowed = ['#src/access/permissions/actor.ts Context', '#src/platform/background/queue.ts Jobs'];
      expect(new Set(found.map(({ extended }) => extended))).toEqual(new Set(allowed));
    },
  );

  it('only the composition, web and oauth know express', () => {
    const found = importsOf('src').filter(({ file, imported }) => {
      return (
        /^express/.test(imported) && !COMPOSITION.includes(file) && !/^src\/(entrances\/web|access\/oauth)\//.test(file)
      );
    });
    expect(listed(found)).toEqual([]);
  });

  it('only the background knows the job queue, and only the database connects by itself', () => {
    const found = importsOf('src').filter(({ file, imported }) => {
      if (imported === 'pg-boss') return !file.startsWith('src/platform/background/');
      return imported === 'pg' && !file.startsWith('src/platform/database/');
    });
    expect(listed(found)).toEqual([]);
  });

  it('only src/entrances/ssh knows what speaks SSH', () => {
    const found = importsOf('src').filter(
      ({ file, imported }) => imported === 'ssh2' && !file.startsWith('src/entrances/ssh/'),
    );
    expect(listed(found)).toEqual([]);
  });

  it('only src/domain/tracking/markdown knows what renders Markdown, and beside it what highlights files how that is done', () => {
    const found = importsOf('src').filter(({ file, imported }) => {
      if (file.startsWith('src/domain/tracking/markdown/')) return false;
      if (file.startsWith('src/domain/repository/highlight/')) return /^(markdown-it|sanitize-html)/.test(imported);
      return /^(markdown-it|sanitize-html|highlight\.js)/.test(imported);
    });
    expect(listed(found)).toEqual([]);
  });

  it('only the thread for incoming mail knows what reads it, and one file knows IMAP', LONG, () => {
    const usersOf = (name: string) =>
      importsOf('src')
        .filter(({ imported }) => imported === name)
        .map(({ file }) => file);
    expect(usersOf('postal-mime')).toEqual(['src/domain/mail_in/read_message.ts']);
    expect(usersOf('#src/domain/mail_in/read_message.ts')).toEqual(['src/domain/mail_in/thread.ts']);
    expect(usersOf('imapflow')).toEqual(['src/platform/outbound/mail/imap.ts']);
  });

  it('only the thread for keys and signatures knows what reads OpenPGP', () => {
    const found = importsOf('src').filter(({ imported }) => imported === 'openpgp');
    expect(found.map(({ file }) => file)).toEqual(['src/domain/users/gpg_keys/openpgp.ts']);
    const users = importsOf('src').filter(({ imported }) => imported === '#src/domain/users/gpg_keys/openpgp.ts');
    // The other file imports types alone.
    expect(users.map(({ file }) => file).sort()).toEqual([
      'src/domain/users/gpg_keys/read.ts',
      'src/domain/users/gpg_keys/thread.ts',
    ]);
  });

  it('only access/oauth knows the provider', () => {
    const found = importsOf('src').filter(
      ({ file, imported }) => imported === 'oidc-provider' && !file.startsWith('src/access/oauth/'),
    );
    expect(listed(found)).toEqual([]);
  });

  it('only access/sign_in knows what speaks with providers of identities and authenticators', () => {
    const found = importsOf('src').filter(({ file, imported }) => {
      return /^(openid-client|ldapts|@simplewebauthn\/)/.test(imported) && !file.startsWith('src/access/sign_in/');
    });
    expect(listed(found)).toEqual([]);
  });

  it('only src/git knows isomorphic-git and what else stands in for git, and git knows nothing of the database, the web or the rest of the domain', () => {
    const own = ['isomorphic-git', 'diff', 'tar-stream', 'yazl'];
    const allowed = [...own, 'lru-cache'];
    const found = importsOf('src').filter(({ file, imported }) => {
      // Runners pack the artifacts of their jobs.
      if (imported === 'yazl' && file.startsWith('src/entrances/runner/')) return false;
      // Backups are tar archives.
      if (imported === 'tar-stream' && file.startsWith('src/entrances/backup/')) return false;
      if (!file.startsWith('src/git/')) return own.includes(imported);
      if (imported.startsWith('#')) return !/^#src\/(git|base)\//.test(imported);
      return !imported.startsWith('node:') && !allowed.includes(imported);
    });
    expect(listed(found)).toEqual([]);
  });

  it('the schema sees neither express nor the Prisma client nor rest', () => {
    const foreign = /^(express|@prisma\/|isomorphic-git|#(rest|pages|mcp|compat)\/|#src\/generated\/prisma)/;
    expect(listed(importsOf('schema').filter(({ imported }) => foreign.test(imported)))).toEqual([]);
  });

  it('mutations are declared by schema/mutation.ts alone, with their inputs and payloads', () => {
    const files = globSync('schema/**/*.ts', { cwd: root }).filter((file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      return /\bmutationFields?\(|Payload['`]/.test(text);
    });
    expect(files).toEqual([path.join('schema', 'mutation.ts')]);
  });

  it('files are named in one way, in words that underscores part', () => {
    const files = ['src', 'schema', 'rest', 'pages', 'mcp', 'compat', 'test'].flatMap((layer) =>
      globSync(`${layer}/**/*.*`, { cwd: root, exclude: (name) => name === 'node_modules' }),
    );
    expect(files.length).toBeGreaterThan(500);
    const odd = files.filter(
      (file) =>
        !file.includes('generated') &&
        // Documents are named by their operations, as clients call them.
        !file.includes('compat/documents/') &&
        !/^([a-z0-9_]+(\.[a-z0-9_]+)+|package-lock\.json|README\.md)$/.test(path.basename(file)),
    );
    expect(odd).toEqual([]);
  });

  it('rest sees no Prisma, and of the domain its errors alone, beside what knows no domain', () => {
    const allowed = new Set(
      [
        'base/json',
        'base/day',
        'base/utf8',
        'platform/byte_range',
        'platform/compressible',
        'platform/errors',
        'platform/limits/read_at_most',
        'platform/limits/limited',
        'platform/limits/caller_semaphore',
        'platform/limits/spooled_file',
        'platform/broken_off',
        'generated/operations',
        'generated/operations_documents',
      ].map((name) => `#src/${name}.ts`),
    );
    const found = importsOf('rest').filter(({ imported }) => {
      if (/^(@prisma\/|pg$|express)/.test(imported)) return true;
      return imported.startsWith('#src/') && !allowed.has(imported);
    });
    expect(listed(found)).toEqual([]);
  });

  it('pages are views of the graph: they see no database, no rule and no REST, but errors, texts and the words of scopes', () => {
    const allowed =
      /^#src\/(access\/permissions\/scopes|platform\/(errors|texts\/texts)|generated\/page_operations)\.ts$/;
    const found = importsOf('pages').filter(({ file, imported }) => {
      if (/^(@prisma\/|pg$|#rest\/)/.test(imported)) return true;
      if (file.startsWith('pages/engine/')) return false;
      if (/^(express|#schema\/)/.test(imported)) return true;
      return imported.startsWith('#src/') && !allowed.test(imported);
    });
    expect(listed(found)).toEqual([]);
  });

  it('what makes pages sees the session of a browser and what knows no domain, and no entrance', () => {
    const allowed = new Set(
      [
        'access/credentials/sessions/session',
        'access/oauth/form_post',
        'access/oauth/interaction',
        'access/permissions/actor',
        'access/permissions/caller',
        'access/sign_in/password_errors',
        'base/day',
        'base/utf8',
        'generated/languages',
        'platform/compressible',
        'platform/config/ssh_address',
        'platform/database/db',
        'platform/errors',
        'platform/limits/caller_semaphore',
        'platform/limits/limited',
        'platform/limits/read_at_most',
        'platform/limits/spooled_file',
        'platform/observability/transient_failure',
        'platform/package_root',
        'platform/settings/appearance',
        'platform/settings/current',
        'platform/texts/texts',
      ].map((name) => `#src/${name}.ts`),
    );
    const found = importsOf('pages').filter(({ file, imported }) => {
      return file.startsWith('pages/engine/') && imported.startsWith('#src/') && !allowed.has(imported);
    });
    expect(listed(found)).toEqual([]);
  });

  it('tools of agents are views of the graph: they see no database, no rule and no other facade, but errors and limits', () => {
    const allowed =
      /^#src\/(base\/json|platform\/(broken_off|errors|limits\/read_at_most)|generated\/mcp_operations)\.ts$/;
    const found = importsOf('mcp').filter(({ file, imported }) => {
      if (/^(@prisma\/|pg$|express|#rest\/|#pages\/)/.test(imported)) return true;
      if (/^(#schema\/|@modelcontextprotocol\/)/.test(imported)) return !file.startsWith('mcp/engine/');
      return imported.startsWith('#src/') && !allowed.test(imported);
    });
    expect(listed(found)).toEqual([]);
  });

  it('the graph of today’s clients is a view of the core graph: it sees no database, no rule and no other facade', () => {
    const allowed =
      /^#src\/(base\/(event_loop|json)|platform\/(api_version|broken_off|compressible|errors|limits\/read_at_most|package_root))\.ts$/;
    const found = importsOf('compat').filter(({ file, imported }) => {
      if (/^(@prisma\/|pg$|express|#rest\/|#pages\/|#mcp\/)/.test(imported)) return true;
      // Tables make IDs and paths of the core graph, and see nothing else of it.
      if (imported.startsWith('#schema/') && !file.startsWith('compat/engine/')) {
        return !/^#schema\/(node\/global_id|refs)\.ts$/.test(imported);
      }
      return imported.startsWith('#src/') && !allowed.test(imported);
    });
    expect(listed(found)).toEqual([]);
  });

  it('only mcp knows the Model Context Protocol', () => {
    const all = ['src', 'schema', 'rest', 'pages'].flatMap((layer) => importsOf(layer));
    expect(listed(all.filter(({ imported }) => /^(@modelcontextprotocol\/|zod)/.test(imported)))).toEqual([]);
  });

  it('words of HTTP stand in entrances alone', () => {
    const files = globSync('{src,schema}/**/*.ts', { cwd: root }).map((name) => name.replaceAll('\\', '/'));
    const found = files.filter((file) => {
      if (file.startsWith('src/generated/') || file.startsWith('src/entrances/web/')) return false;
      return /['"`][1-5]\d\d [A-Z(]/.test(readFileSync(path.join(root, file), 'utf8'));
    });
    expect(found).toEqual([]);
  });

  it('what callers send is parsed by base/json alone, which counts it first', () => {
    const files = globSync('{src,schema,rest,pages,mcp,compat}/**/*.ts', { cwd: root }).map((name) =>
      name.replaceAll('\\', '/'),
    );
    const found = files.filter((file) => {
      return !file.startsWith('src/generated/') && /\bJSON\.parse\b/.test(readFileSync(path.join(root, file), 'utf8'));
    });
    expect(found.sort()).toEqual([...PARSERS_OF_OWN_TEXT].sort());
  });

  it('nothing imports from outside of the package', LONG, () => {
    const all = ['src', 'schema', 'rest', 'pages', 'mcp', 'compat', 'test', 'scripts'].flatMap((layer) =>
      importsOf(layer),
    );
    expect(all.length).toBeGreaterThan(200);
    expect(listed(all.filter(({ imported }) => imported.startsWith('#..') || path.isAbsolute(imported)))).toEqual([]);
  });

  it('rooms of a floor import each other in no circle, types too', () => {
    const rooms = graphOf('src', roomOf);
    expect(rooms.size).toBeGreaterThan(30);
    expect(circleIn(rooms)).toEqual([]);
  });

  it('rooms of the domain import from those below alone, types too', () => {
    const rows = DOMAIN.flatMap((rooms, row) => rooms.map((room): [string, number] => [`src/domain/${room}`, row]));
    const rowOf = new Map(rows);
    expect(readdirSync(path.join(root, 'src/domain')).sort()).toEqual(DOMAIN.flat().sort());
    const up = [...graphOf('src', roomOf)].flatMap(([from, all]) => {
      const row = rowOf.get(from);
      if (row === undefined) return [];
      return [...all].filter((to) => (rowOf.get(to) ?? -1) >= row).map((to) => `${from} → ${to}`);
    });
    expect(up).toEqual([]);
  });

  it('the child folders of a folder import each other in no circle, types too', LONG, () => {
    const imports = importsOf('src').filter(({ imported }) => imported.startsWith('#src/'));
    const folders = new Set(
      globSync('src/**/*.ts', { cwd: root }).flatMap((file) => {
        const names = file.split(path.sep);
        return names.slice(2).map((_, depth) => names.slice(0, depth + 1).join('/'));
      }),
    );
    expect(folders.size).toBeGreaterThan(20);
    const found = [...folders].sort().flatMap((folder) => {
      const edges = new Map<string, Set<string>>();
      for (const { file, imported } of imports) {
        const [from, to] = [childOf(folder, file), childOf(folder, imported.slice(1))];
        if (from !== null && to !== null && from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
      }
      const knot = knotIn(edges);
      return knot.length === 0 ? [] : [[folder, knot.sort().join(' ')]];
    });
    expect(Object.fromEntries(found)).toEqual(KNOTS);
  });

  it.each(['src', 'schema', 'rest', 'pages', 'mcp', 'compat'])(
    'files of %s import each other in no circle, types too',
    (layer) => {
      expect(circleIn(graphOf(layer))).toEqual([]);
    },
  );

  it('circles are found', () => {
    const edges = new Map(Object.entries({ a: new Set(['b']), b: new Set(['c']), c: new Set(['b']) }));
    expect(circleIn(edges)).toEqual(['b', 'c', 'b']);
    expect(knotIn(edges)).toEqual(['b', 'c']);
  });
});
