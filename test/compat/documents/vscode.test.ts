import { describe, expect, it } from 'vitest';
import { clientOf, gid, numberIn, time } from '../../support/client_documents.ts';
import { DECOY, startClientWorld } from '../../support/client_world.ts';
import type { Json } from '../../support/http.ts';
import { LONG } from '../../support/long.ts';

const w = await startClientWorld();
const { world, owner, developer, guest } = w;
const namespaceWithPath = 'team/garden';
const client = clientOf(world, 'vscode', developer);

describe('The extension of VS Code', () => {
  it('finds the project of a remote, with the number in its global ID', async () => {
    const rest = await w.rest('');
    const { project } = await client.data('GetProject', { namespaceWithPath });
    expect(project).toEqual({
      id: gid('Project', rest.id),
      name: rest.name,
      description: rest.description,
      fullPath: rest.path_with_namespace,
      webUrl: rest.web_url,
      group: { id: gid('Group', w.group.id) },
    });
    expect(numberIn(project.id, 'Project')).toBe(rest.id);
    expect(await client.ask('GetProject', { namespaceWithPath: `${DECOY}/${DECOY}` })).toEqual({
      data: { project: null },
    });
    const own = await world.project({ owner: developer, name: 'Mine', path: 'mine' });
    expect((await client.data('GetProject', { namespaceWithPath: own.fullPath })).project.group).toBeNull();
  });

  it('asks for the level of access', async () => {
    const level = async (who: typeof owner) => {
      const data = await clientOf(world, 'vscode', who).data('GetProjectAccessLevel', { namespaceWithPath });
      return data.project.maxAccessLevel.integerValue;
    };
    expect([await level(owner), await level(developer), await level(guest)]).toEqual([50, 30, 10]);
  });

  it('offers namespaces for a new project that match what is typed', async () => {
    const search = async (who: typeof owner, text: string) => {
      const data = await clientOf(world, 'vscode', who).data('searchNamespacesWhereUserCanCreateProjects', {
        search: text,
      });
      return [
        data.currentUser.namespace.fullPath,
        ...data.currentUser.groups.nodes.map((group: Json) => group.fullPath),
      ];
    };
    expect((await search(owner, '')).sort()).toEqual(['olivia', 'team', 'team/inner']);
    expect(await search(owner, 'Inner')).toEqual(['olivia', 'team/inner']);
    expect(await search(developer, '')).toEqual(['dev']);
    const data = await clientOf(world, 'vscode', owner).data('searchNamespacesWhereUserCanCreateProjects', {
      search: 'Team',
    });
    const { body: rest } = await world.api(owner).get(`/groups/${w.group.id}`);
    expect(data.currentUser.groups.nodes).toContainEqual({
      id: gid('Group', rest.id),
      fullPath: 'team',
      name: 'Team',
      visibility: rest.visibility,
      webUrl: rest.web_url,
    });
  });

  it('lists projects to clone, by the names of their namespaces too', async () => {
    const list = async (search: string) => {
      const variables = { search, membership: true, limit: 30, searchNamespaces: true };
      return (await clientOf(world, 'vscode', owner).data('GetProjectsWithRepositoryInfo', variables)).projects.nodes;
    };
    const rest = await w.rest('');
    const expected = {
      id: gid('Project', rest.id),
      name: rest.name,
      description: rest.description,
      httpUrlToRepo: rest.http_url_to_repo,
      sshUrlToRepo: rest.ssh_url_to_repo,
      fullPath: rest.path_with_namespace,
      repository: { rootRef: 'master', empty: false },
    };
    expect(await list('Garden')).toEqual([expected]);
    expect((await list('team')).map(({ fullPath }: Json) => fullPath).sort()).toEqual([
      'team/garden',
      'team/inner/shed',
    ]);
    expect(await list(DECOY)).toEqual([]);
    expect((await client.data('GetProjectWithRepositoryInfo', { namespaceWithPath })).project).toEqual(expected);
    const empty = await clientOf(world, 'vscode', owner).data('GetProjectWithRepositoryInfo', {
      namespaceWithPath: 'team/inner/shed',
    });
    expect(empty.project.repository.empty).toBe(true);
  });

  it('shows the threads of a merge request, and opens notes by their address', LONG, async () => {
    const rest = await w.rest('/merge_requests/1/discussions');
    const data = await client.data('GetMrDiscussions', { namespaceWithPath, iid: '1' });
    expect(data.project.id).toBe(gid('Project', w.project.id));
    const { nodes, pageInfo } = data.project.mergeRequest.discussions;
    expect(pageInfo.hasNextPage).toBe(false);
    expect(
      nodes.map(({ replyId, resolved, resolvable, notes }: Json) => [
        replyId,
        resolved,
        resolvable,
        notes.nodes.map(({ body }: Json) => body),
      ]),
    ).toEqual(
      rest.map(({ id, notes }: Json) => [
        gid('Discussion', id),
        notes[0].resolved ?? false,
        notes[0].resolvable,
        notes.map(({ body }: Json) => body),
      ]),
    );
    const [first] = nodes[0].notes.nodes;
    const [note] = rest[0].notes;
    expect(first).toEqual({
      id: gid('DiffNote', note.id),
      createdAt: time(note.created_at),
      system: false,
      body: note.body,
      bodyHtml: expect.stringContaining('Why carrots?'),
      url: expect.stringMatching(new RegExp(`/team/garden/-/merge_requests/1#note_${note.id}$`)),
      author: {
        avatarUrl: note.author.avatar_url,
        name: note.author.name,
        username: 'rev',
        webUrl: note.author.web_url,
      },
      userPermissions: { resolveNote: true, adminNote: false, createNote: true },
      position: {
        diffRefs: {
          baseSha: note.position.base_sha,
          headSha: note.position.head_sha,
          startSha: note.position.start_sha,
        },
        filePath: 'beds.txt',
        positionType: 'text',
        newLine: 2,
        oldLine: null,
        newPath: 'beds.txt',
        oldPath: 'beds.txt',
      },
    });
    const address = new URL(first.url, world.url);
    expect(
      (
        await world
          .api(owner)
          .get(`/projects/${w.project.id}/merge_requests/1/notes/${address.hash.slice('#note_'.length)}`)
      ).status,
    ).toBe(200);
  });

  it('shows the threads of an issue without internal notes to guests', LONG, async () => {
    const bodies = async (who: typeof owner) => {
      const data = await clientOf(world, 'vscode', who).data('GetIssueDiscussions', {
        namespaceWithPath,
        iid: String(w.parent.iid),
      });
      return data.project.issue.discussions.nodes.flatMap((one: Json) => one.notes.nodes.map(({ body }: Json) => body));
    };
    expect(await bodies(owner)).toEqual(expect.arrayContaining(['Is the tap open?', 'Only for us']));
    expect(await bodies(guest)).toContain('Is the tap open?');
    expect(await bodies(guest)).not.toContain('Only for us');
  });

  it('asks whether it can comment before it offers to', async () => {
    const ask = async (who: typeof owner) =>
      (await clientOf(world, 'vscode', who).data('GetMrPermissions', { namespaceWithPath, iid: '1' })).project
        ?.mergeRequest;
    expect(await ask(developer)).toEqual({ userPermissions: { createNote: true } });
    expect((await ask(w.outsider)) ?? null).toBeNull();
  });

  it('lists snippets with their files, and inserts the text of one', async () => {
    const [rest] = await w.rest('/snippets', developer);
    const { project } = await client.data('GetSnippets', { namespaceWithPath, afterCursor: null });
    expect(project.snippets).toEqual({
      pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
      nodes: [
        {
          id: gid('ProjectSnippet', rest.id),
          title: 'Seeds',
          description: 'What to sow',
          blobs: {
            nodes: ['seeds.txt', 'tools.txt'].map((name) => ({
              name,
              path: name,
              rawPath: expect.stringContaining(name),
            })),
          },
        },
      ],
    });
    const content = await client.data('GetSnippetContent', { snippetId: project.snippets.nodes[0].id });
    expect(content.snippets.nodes).toEqual([
      {
        blobs: {
          nodes: [
            { path: 'seeds.txt', rawPlainData: 'beans\n' },
            { path: 'tools.txt', rawPlainData: 'spade\n' },
          ],
        },
      },
    ]);
    const hidden = await client.ask('GetSnippetContent', { snippetId: gid('ProjectSnippet', w.hidden.snippet.id) });
    expect(hidden).toEqual({ data: { snippets: { nodes: [] } } });
  });

  it('is told that no paid feature is there, and that its flags are off', async () => {
    const names = ['duo_ui_next', 'anything_else'];
    const { metadata } = await client.data('featureFlagsEnabled', { names });
    expect(metadata.featureFlags).toEqual(names.map((name) => ({ name, enabled: false })));
    expect(await client.data('duoChatAvailable')).toEqual({ currentUser: { duoChatAvailable: false } });
    expect(await client.data('suggestionsAvailable')).toEqual({ currentUser: { duoCodeSuggestionsAvailable: false } });
    expect(await client.data('GetProjectDuo', { namespaceWithPath })).toEqual({
      project: { duoFeaturesEnabled: false },
    });
  });

  it('adds an account only of a server that is not older than 16.1.0, and asks no server of 18.2.0 on for what is paid', async () => {
    const { body } = await world.api(developer).get('/version');
    const [major, minor] = body.version.split('.').map(Number);
    expect(major * 100 + minor).toBeGreaterThanOrEqual(1710);
    expect(major * 100 + minor).toBeLessThan(1802);
  });
});
