import { describe, expect, it } from 'vitest';
import { clientOf, gid, time } from '../../support/client_documents.ts';
import { DECOY, startClientWorld } from '../../support/client_world.ts';
import type { Json } from '../../support/http.ts';
import { LONG } from '../../support/long.ts';

const w = await startClientWorld();
const { world, owner, developer, guest } = w;
const path = 'team/garden';
const [parentIid, taskIid] = [String(w.parent.iid), String(w.task.iid)];
const widget = ({ widgets }: Json, name: string) =>
  widgets.find(({ __typename }: Json) => __typename === `WorkItemWidget${name}`);

describe('client-go, and with it glab and Terraform', () => {
  const client = clientOf(world, 'client-go', developer);

  it('reads an issue as a work item', async () => {
    const rest = w.parent;
    const { workItem } = (await client.data('GetWorkItem', { fullPath: path, iid: parentIid })).namespace;
    const { features, ...record } = workItem;
    const user = ({ id, username, name, state, avatar_url, web_url }: Json) => ({
      id: gid('User', id),
      username,
      name,
      state,
      createdAt: expect.stringMatching(/^[\d-]+T[\d:]+Z$/),
      avatarUrl: avatar_url,
      webUrl: web_url,
    });
    expect(record).toEqual({
      id: gid('WorkItem', rest.id),
      iid: parentIid,
      state: 'OPEN',
      title: rest.title,
      description: rest.description,
      confidential: false,
      createdAt: time(rest.created_at),
      updatedAt: time(rest.updated_at),
      closedAt: null,
      webUrl: rest.web_url,
      workItemType: { name: 'Issue' },
      author: user(rest.author),
    });
    const { labels, linkedItems, ...rests } = features;
    const here = { namespace: { fullPath: path } };
    expect(rests).toEqual({
      assignees: { assignees: { nodes: rest.assignees.map(user) } },
      color: null,
      healthStatus: null,
      hierarchy: {
        hasParent: false,
        parent: null,
        hasChildren: true,
        children: { nodes: [{ iid: taskIid, ...here }] },
      },
      iteration: null,
      milestone: { milestone: { id: gid('Milestone', w.milestone.id) } },
      startAndDueDate: { startDate: null, dueDate: '2031-03-20' },
      status: null,
      weight: null,
    });
    expect(labels.labels.nodes.map(({ id, title }: Json) => [title, id]).sort()).toEqual([
      ['bug', gid('ProjectLabel', w.label.id)],
      ['team-wide', gid('GroupLabel', w.groupLabel.id)],
    ]);
    expect(linkedItems.linkedItems.nodes).toEqual([
      { workItem: { iid: String(w.blocker.iid), ...here }, linkType: 'is_blocked_by' },
    ]);
    const id = await client.data('GetWorkItemID', { fullPath: path, iid: parentIid });
    expect(id.namespace.workItem.id).toBe(gid('WorkItem', rest.id));
    expect((await client.data('GetWorkItem', { fullPath: path, iid: '999' })).namespace).toEqual({ workItem: null });
    expect(await client.data('GetWorkItem', { fullPath: `${DECOY}/${DECOY}`, iid: '1' })).toEqual({ namespace: null });
  });

  it('lists work items of a project by filters, with a document of 45 variables', LONG, async () => {
    const list = async (variables: Json, who = developer) => {
      const { workItems } = (
        await clientOf(world, 'client-go', who).data('ListWorkItems', { fullPath: path, ...variables })
      ).namespace;
      return workItems.nodes.map(({ iid }: Json) => iid).sort();
    };
    expect(await list({})).toEqual(['1', '2', '3', '4', '5']);
    expect(await list({}, guest)).toEqual(['1', '2', '3', '4']);
    expect(await list({ types: ['TASK'] })).toEqual([taskIid]);
    expect(await list({ state: 'closed' })).toEqual(['4']);
    expect(await list({ state: 'opened', search: 'plants', in: ['TITLE'] })).toEqual([parentIid]);
    expect(await list({ labelName: ['bug'] })).toEqual([parentIid]);
    expect(await list({ assigneeUsernames: ['dev'] })).toEqual([parentIid]);
    expect(await list({ assigneeWildcardId: 'NONE', state: 'opened' })).toEqual(['2', '3', '5']);
    expect(await list({ milestoneTitle: ['Spring'] })).toEqual([parentIid]);
    expect(await list({ milestoneWildcardId: 'NONE', state: 'closed' })).toEqual(['4']);
    expect(await list({ iids: ['1', '3'] })).toEqual(['1', '3']);
    expect(await list({ ids: [gid('WorkItem', w.parent.id)] })).toEqual([parentIid]);
    expect(await list({ parentIds: [gid('WorkItem', w.parent.id)] })).toEqual([taskIid]);
    expect(await list({ authorUsername: 'olivia', confidential: true })).toEqual(['5']);
    expect(await list({ createdAfter: '2099-01-01T00:00:00Z' })).toEqual([]);
    expect(await list({ dueAfter: '2031-03-01T00:00:00Z', dueBefore: '2031-04-01T00:00:00Z' })).toEqual([parentIid]);
  });

  it('goes through pages in an order', async () => {
    const titles: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const data: Json = await client.data('ListWorkItems', { fullPath: path, sort: 'TITLE_ASC', first: 2, after });
      const { nodes, pageInfo } = data.namespace.workItems;
      titles.push(...nodes.map(({ title }: Json) => title));
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    expect(titles).toEqual([
      'Buy a can',
      `Confidential ${DECOY}`,
      'Fill the can',
      'Repair the tap',
      'Water the plants',
    ]);
  });

  it('finds no state of Terraform, without an error', async () => {
    expect(await client.data('ListTerraformStates', {}, { PROJECT: path })).toEqual({
      project: { terraformStates: { nodes: [] } },
    });
    expect(await client.data('GetTerraformState', {}, { PROJECT: path })).toEqual({
      project: { terraformState: null },
    });
  });
});

describe('The MCP server of zereight', () => {
  const client = clientOf(world, 'mcp-zereight', developer);

  it('resolves numbers, labels, users and types before it changes anything', async () => {
    const item = await client.data('resolveWorkItem', { path, iid: parentIid });
    expect(item.namespace.workItem.id).toBe(gid('WorkItem', w.parent.id));
    const names = await client.data('resolveNames', {
      path,
      usernames: ['rev', 'nobody-here'],
      l0: 'bug',
      l1: 'team-wide',
    });
    expect(names).toEqual({
      project: {
        l0: { nodes: [{ id: gid('ProjectLabel', w.label.id) }] },
        l1: { nodes: [{ id: gid('GroupLabel', w.groupLabel.id) }] },
      },
      users: { nodes: [{ id: gid('User', w.reviewer.id), username: 'rev' }] },
    });
    const missing = await client.data('resolveNames', { path, usernames: [], l0: 'bu', l1: DECOY });
    expect(missing).toEqual({ project: { l0: { nodes: [] }, l1: { nodes: [] } }, users: { nodes: [] } });
    const types = await client.data('workItemTypes', { path, typeName: null });
    const ids = Object.fromEntries(types.namespace.workItemTypes.nodes.map(({ id, name }: Json) => [name, id]));
    expect(ids).toMatchObject({
      Issue: gid('WorkItems::Type', 1),
      Incident: gid('WorkItems::Type', 2),
      Task: gid('WorkItems::Type', 5),
    });
    const [task, ...others] = (await client.data('workItemTypes', { path, typeName: 'TASK' })).namespace.workItemTypes
      .nodes;
    expect([task.name, others]).toEqual(['Task', []]);
    const statuses = await client.data('listStatuses', { path, typeName: 'ISSUE' });
    expect(
      statuses.namespace.workItemTypes.nodes[0].widgetDefinitions.some(({ allowedStatuses }: Json) => allowedStatuses),
    ).toBe(false);
  });

  it('shows a work item with all that its widgets tell', async () => {
    const { workItem } = (await client.data('getWorkItem', { path, iid: parentIid })).namespace;
    expect(workItem).toMatchObject({
      id: gid('WorkItem', w.parent.id),
      state: 'OPEN',
      workItemType: { name: 'Issue' },
      author: { username: 'dev' },
    });
    const names = workItem.widgets.map(({ __typename }: Json) => __typename);
    for (const paid of ['Status', 'CustomFields', 'Weight', 'HealthStatus', 'Iteration', 'Progress', 'Color']) {
      expect(names).not.toContain(`WorkItemWidget${paid}`);
    }
    expect(widget(workItem, 'Hierarchy')).toMatchObject({
      hasParent: false,
      parent: null,
      children: {
        nodes: [
          { id: gid('WorkItem', w.task.id), title: 'Fill the can', state: 'OPEN', workItemType: { name: 'Task' } },
        ],
      },
    });
    expect(widget(workItem, 'LinkedItems')).toMatchObject({
      blocked: true,
      blockedByCount: 1,
      blockingCount: 0,
      linkedItems: {
        nodes: [{ linkType: 'is_blocked_by', workItem: { iid: String(w.blocker.iid), title: 'Repair the tap' } }],
      },
    });
    expect(widget(workItem, 'TimeTracking')).toMatchObject({ timeEstimate: 28_800, totalTimeSpent: 7200 });
    expect(widget(workItem, 'StartAndDueDate')).toMatchObject({ startDate: null, dueDate: '2031-03-20' });
    expect(widget(workItem, 'Milestone').milestone).toEqual({ id: gid('Milestone', w.milestone.id), title: 'Spring' });
    expect(widget(workItem, 'Development')).toMatchObject({
      willAutoCloseByMergeRequest: true,
      closingMergeRequests: {
        nodes: [{ mergeRequest: { iid: '1', title: 'Carrots', state: 'opened', sourceBranch: 'topic' } }],
      },
      featureFlags: { nodes: [] },
    });
    const task = (await client.data('getWorkItem', { path, iid: taskIid })).namespace.workItem;
    expect(widget(task, 'Hierarchy')).toMatchObject({
      hasParent: true,
      hasChildren: false,
      parent: { iid: parentIid, title: 'Water the plants' },
    });
    const blocker = (await client.data('getWorkItem', { path, iid: String(w.blocker.iid) })).namespace.workItem;
    expect(widget(blocker, 'LinkedItems')).toMatchObject({ blocked: false, blockedByCount: 0, blockingCount: 1 });
  });

  it('lists work items and the notes of one, internal ones for members alone', async () => {
    const { workItems } = (await client.data('listWorkItems', { path, types: ['ISSUE'], state: 'opened', first: 20 }))
      .project;
    const [first] = workItems.nodes.filter(({ iid }: Json) => iid === parentIid);
    expect(
      widget(first, 'Labels')
        .labels.nodes.map(({ title }: Json) => title)
        .sort(),
    ).toEqual(['bug', 'team-wide']);
    expect(workItems.nodes.map(({ workItemType }: Json) => workItemType.name)).not.toContain('Task');
    const notes = async (who: typeof owner, sort = 'CREATED_ASC') => {
      const data = await clientOf(world, 'mcp-zereight', who).data('listWorkItemNotes', {
        path,
        iid: parentIid,
        pageSize: 20,
        after: null,
        sort,
      });
      const [{ discussions, discussionLocked }] = data.namespace.workItem.widgets;
      expect(discussionLocked ?? false).toBe(false);
      return discussions.nodes.flatMap((one: Json) => one.notes.nodes).filter(({ system }: Json) => !system);
    };
    expect((await notes(owner)).map(({ body, internal }: Json) => [body, internal])).toEqual([
      ['Is the tap open?', false],
      ['Only for us', true],
    ]);
    expect((await notes(owner, 'CREATED_DESC')).map(({ body }: Json) => body)).toEqual([
      'Only for us',
      'Is the tap open?',
    ]);
    expect((await notes(guest)).map(({ body }: Json) => body)).toEqual(['Is the tap open?']);
  });
});

describe('The MCP server of structured-world', () => {
  const client = clientOf(world, 'mcp-structured-world', owner);

  it('learns version, types and widgets from the server', async () => {
    const { metadata, currentUser } = await client.data('GetVersionInfo');
    expect(metadata).toEqual({ ...metadata, kas: { enabled: false, version: null }, enterprise: false });
    expect(currentUser.username).toBe('olivia');
    const { types } = (await client.data('IntrospectionTypes')).__schema;
    const widgets = types.find(({ name }: Json) => name === 'WorkItemWidgetType').enumValues;
    expect(widgets.map(({ name }: Json) => name)).toEqual(
      expect.arrayContaining(['ASSIGNEES', 'HIERARCHY', 'LABELS', 'NOTES']),
    );
    const fields = types.find(({ name }: Json) => name === 'WorkItem').fields.map(({ name }: Json) => name);
    expect(fields).toEqual(expect.arrayContaining(['iid', 'widgets', 'workItemType']));
    expect((await client.ask('GetLicenseInfo')).errors[0].message).toBe(
      "Field 'currentLicense' doesn't exist on type 'Query'",
    );
  });

  it('lists projects of a group, and tells groups from projects and users', async () => {
    const { group } = await client.data('GetGroupProjects', { groupPath: 'team', first: 20 });
    expect(group.projects.nodes.map((one: Json) => [one.id, one.fullPath]).sort()).toEqual(
      [
        [gid('Project', w.project.id), path],
        [gid('Project', w.neighbour.id), 'team/inner/shed'],
      ].sort(),
    );
    const id = async (of: string) => (await client.data('GetNamespaceType', { path: of })).namespace?.id;
    expect([await id('team'), await id('olivia'), await id(path), await id(DECOY)]).toEqual([
      gid('Group', w.group.id),
      expect.stringMatching(/^gid:\/\/gitlab\/Namespaces::UserNamespace\/\d+$/),
      expect.stringMatching(/^gid:\/\/gitlab\/Namespaces::ProjectNamespace\/\d+$/),
      undefined,
    ]);
  });

  it('lists runners and their jobs, and images', async () => {
    const admin = await world.user({ admin: true });
    const asAdmin = clientOf(world, 'mcp-structured-world', admin);
    const created = await world.api(owner).post('/user/runners', {
      runner_type: 'project_type',
      project_id: w.project.id,
      description: 'Barrow',
      tag_list: ['linux'],
    });
    const { body: rest } = await world.api(owner).get(`/runners/${created.body.id}`);
    const expected = {
      id: gid('Ci::Runner', rest.id),
      description: 'Barrow',
      runnerType: 'PROJECT_TYPE',
      status: rest.status.toUpperCase(),
      paused: false,
      locked: rest.locked,
      runUntagged: rest.run_untagged,
      tagList: ['linux'],
      accessLevel: rest.access_level.toUpperCase(),
      maximumTimeout: rest.maximum_timeout,
      jobExecutionStatus: rest.job_execution_status.toUpperCase(),
      jobCount: 0,
      contactedAt: null,
      createdAt: time(rest.created_at),
    };
    expect((await asAdmin.data('ListRunners', { search: 'Barrow' })).runners.nodes).toEqual([expected]);
    expect(
      (await client.data('ListProjectRunners', { fullPath: path, tagList: ['linux'] })).project.runners.nodes,
    ).toEqual([expected]);
    expect((await client.data('ListProjectRunners', { fullPath: path, paused: true })).project.runners.nodes).toEqual(
      [],
    );
    expect((await client.data('GetRunner', { id: expected.id })).runner).toEqual(expected);
    expect(await clientOf(world, 'mcp-structured-world', w.outsider).data('GetRunner', { id: expected.id })).toEqual({
      runner: null,
    });
    expect((await client.data('ListRunnerJobs', { id: expected.id, statuses: ['SUCCESS'], first: 5 })).runner).toEqual({
      id: expected.id,
      jobs: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } },
    });
    const [image] = await w.rest('/registry/repositories?tags_count=true');
    const images = await client.data('ListContainerRepositories', { fullPath: path, name: 'pot' });
    expect(images.project.containerRepositories.nodes).toEqual([
      {
        id: gid('ContainerRepository', image.id),
        name: image.name,
        path: image.path,
        location: image.location,
        tagsCount: 2,
        createdAt: time(image.created_at),
      },
    ]);
  });
});

describe('The MCP server of jmrplens', () => {
  const client = clientOf(world, 'mcp-jmrplens', developer);

  it('reads merge request, issue and pipeline with all that is around them at once', async () => {
    const { mergeRequest } = (await client.data('mrContext', { projectPath: path, mrIID: '1' })).project;
    expect(mergeRequest).toMatchObject({
      state: 'opened',
      approvedBy: { nodes: [{ username: 'rev' }] },
      diffStatsSummary: { additions: 2, deletions: 1, fileCount: 2 },
    });
    const { issue } = (await client.data('issueContext', { projectPath: path, issueIID: parentIid })).project;
    expect(issue).toMatchObject({
      dueDate: '2031-03-20',
      weight: null,
      humanTimeEstimate: '1d',
      humanTotalTimeSpent: '2h',
      milestone: { title: 'Spring', dueDate: '2031-04-01' },
      relatedMergeRequests: { nodes: [{ iid: '1', title: 'Carrots', author: { username: 'dev' } }] },
    });
    const people = (await w.rest(`/issues/${parentIid}/participants`)).map(({ username }: Json) => username).sort();
    expect(issue.participants.nodes.map(({ username }: Json) => username).sort()).toEqual(people);
    const [rest] = (await w.rest('/pipelines')).filter(({ ref }: Json) => ref === 'topic');
    const { pipeline } = (await client.data('pipelineContext', { projectPath: path, pipelineIID: String(rest.iid) }))
      .project;
    expect(pipeline).toMatchObject({
      iid: String(rest.iid),
      status: 'SUCCESS',
      ref: 'topic',
      sha: rest.sha,
      duration: 62,
      source: 'push',
      yamlErrors: false,
    });
    const [build, test] = pipeline.stages.nodes;
    expect([build.name, build.status, test.name]).toEqual(['build', 'success', 'test']);
    const lint = test.jobs.nodes.find(({ name }: Json) => name === 'lint');
    expect(lint).toMatchObject({
      status: 'FAILED',
      stage: { name: 'test' },
      duration: 62,
      failureMessage: expect.any(String),
    });
  });

  it('lists the rules of branches', async () => {
    const { branchRules } = (await client.data('listBranchRules', { projectPath: path, first: 20 })).project;
    const [rest] = await w.rest('/protected_branches');
    expect(branchRules.nodes).toEqual([
      {
        name: rest.name,
        isDefault: true,
        isProtected: true,
        matchingBranchesCount: 1,
        branchProtection: { allowForcePush: rest.allow_force_push },
        createdAt: expect.stringMatching(/^[\d-]+T[\d:]+Z$/),
        updatedAt: expect.stringMatching(/^[\d-]+T[\d:]+Z$/),
      },
    ]);
  });
});

describe('The language server', () => {
  const client = clientOf(world, 'language-server', developer);

  it('finds projects, one and several by their paths, and its user', async () => {
    const { project } = await client.data('getProject', { projectPath: path });
    expect(project).toMatchObject({
      id: gid('Project', w.project.id),
      fullPath: path,
      group: { id: gid('Group', w.group.id) },
      duoFeaturesEnabled: false,
    });
    const { projects } = await client.data('getProjectIds', { fullPaths: [path, `${DECOY}/${DECOY}`, 'team/none'] });
    expect(projects.nodes).toEqual([{ id: gid('Project', w.project.id), fullPath: path }]);
    expect((await client.data('getUser')).currentUser).toEqual({
      id: gid('User', developer.id),
      name: 'Name of dev',
      username: 'dev',
    });
    const ids = [gid('Project', w.project.id), gid('Project', w.hidden.project.id)];
    expect((await client.data('GetProjectsDuoEnabledStatusById', { ids })).projects.nodes).toEqual([
      { id: ids[0], duoFeaturesEnabled: false },
    ]);
  });

  it('reads what it is asked about in a chat', async () => {
    const { issue } = await client.data('getIssueDetails', { id: gid('Issue', w.parent.id) });
    expect(issue).toMatchObject({ iid: parentIid, state: 'opened', author: { username: 'dev' } });
    const { id } = await w.rest('/merge_requests/1');
    const { mergeRequest } = await client.data('getMergeRequestDetails', { id: gid('MergeRequest', id) });
    expect(mergeRequest).toMatchObject({ iid: '1', sourceBranch: 'topic', labels: { nodes: [{ title: 'bug' }] } });
    expect(mergeRequest.diffStats).toHaveLength(2);
    expect(await client.data('getMergeRequestDetails', { id: gid('MergeRequest', w.hidden.merge.id) })).toEqual({
      mergeRequest: null,
    });
  });

  it('marks what newer servers alone have, which is left out here, and is told that nothing paid is there', async () => {
    const data = await client.ask('getOptionalProjectData', { projectPath: path, namespacePath: 'team' });
    expect(data).toEqual({
      data: {
        project: {
          id: gid('Project', w.project.id),
          name: 'Garden',
          fullPath: path,
          duoFeaturesEnabled: false,
        },
        namespace: { id: gid('Group', w.group.id), fullPath: 'team' },
      },
    });
    expect(await client.data('featureFlagEnabled', { name: 'duo_agentic_chat' })).toEqual({
      featureFlagEnabled: false,
    });
    expect(await client.data('chatAvailable')).toEqual({
      currentUser: { duoChatAvailable: false, duoChatAvailableFeatures: [] },
    });
    expect(await client.data('agenticChatAvailable', { projectPath: path })).toEqual({
      project: { duoAgenticChatAvailable: false },
    });
    expect(await client.data('getDuoAvailableFeatures')).toEqual({
      currentUser: { duoChatAvailableFeatures: [], codeSuggestionsContexts: [], duoCodeSuggestionsAvailable: false },
    });
  });
});

describe('Programs that keep or show what a server has', () => {
  it('Backstage reads groups below one with their parents, and members by relation', async () => {
    const client = clientOf(world, 'backstage', owner);
    const { group } = await client.data('listDescendantGroups', { group: 'team' });
    const { body: rest } = await world.api(owner).get(`/groups/${w.inner.id}`);
    expect(group.descendantGroups).toEqual({
      nodes: [
        {
          id: gid('Group', w.inner.id),
          name: 'Inner',
          description: expect.toBeOneOf(['', null]),
          visibility: rest.visibility,
          fullPath: 'team/inner',
          parent: { id: gid('Group', w.group.id) },
        },
      ],
      pageInfo: { endCursor: expect.any(String), hasNextPage: false },
    });
    await world.member({ id: w.inner.id }, w.reviewer, 'developer');
    const members = async (of: string, relations: string[]) => {
      const data = await client.data('getGroupMembers', { group: of, relations });
      return data.group.groupMembers.nodes.map(({ user }: Json) => user.username).sort();
    };
    expect(await members('team', ['DIRECT'])).toEqual(['olivia']);
    expect(await members('team/inner', ['DIRECT', 'INHERITED'])).toEqual(['olivia', 'rev']);
    const none = await client.data('getGroupMembers', { group: DECOY, relations: ['DIRECT'] });
    expect(none).toEqual({ group: null });
  });

  it('Backstage’s other plugin draws the coverage of pipelines', async () => {
    const client = clientOf(world, 'backstage-immobiliare', developer);
    const variables = { projectSlug: path, projectDefaultBranch: 'master', updatedAfter: '2020-01-01T00:00:00Z' };
    const rest = await w.rest('/pipelines?ref=master');
    const { project } = await client.data('getProjectCoverage', variables);
    expect(project.pipelines.nodes).toEqual(
      rest.map(({ created_at }: Json) => ({ coverage: null, createdAt: time(created_at) })),
    );
    await world.db.pipeline.update({ where: { id: rest[0].id }, data: { coverage: 87.5 } });
    expect((await client.data('getProjectCoverage', variables)).project.pipelines.nodes[0].coverage).toBe(87.5);
    const later = await client.data('getProjectCoverage', { ...variables, updatedAfter: '2099-01-01T00:00:00Z' });
    expect(later.project.pipelines.nodes).toEqual([]);
  });

  it('python-gitlab, Terraform and gitlabform ask who they are and what a project has', async () => {
    expect(await clientOf(world, 'python-gitlab', owner).data('docsExample')).toEqual({
      currentUser: { name: 'Name of olivia' },
    });
    const { currentUser } = await clientOf(world, 'terraform', owner).data('currentUser');
    expect(currentUser).toMatchObject({ username: 'olivia', bot: false, groupCount: 2, id: gid('User', owner.id) });
    expect(currentUser.namespace.id).toMatch(/^gid:\/\/gitlab\/Namespaces::UserNamespace\/\d+$/);
    const release = clientOf(world, 'semantic-release', developer);
    expect(await release.data('isCatalogResource', {}, { PROJECT: path })).toEqual({
      project: { isCatalogResource: false },
    });
    const form = clientOf(world, 'gitlabform', owner);
    expect(await form.data('duoFeaturesEnabled', {}, { PROJECT: path })).toEqual({
      project: { duoFeaturesEnabled: false },
    });
    expect((await form.ask('groupMemberRoles', {}, { GROUP: 'team' })).errors[0].message).toBe(
      "Field 'memberRoles' doesn't exist on type 'Group'",
    );
  });

  it('glab goes through pages by a variable that it fills itself', async () => {
    const client = clientOf(world, 'glab', developer);
    const titles: string[] = [];
    for (let endCursor: string | null = null, more = true; more; ) {
      const data: Json = await client.data('apiGraphqlPaginate', { endCursor }, { PROJECT: path });
      const { edges, pageInfo } = data.project.issues;
      titles.push(...edges.map(({ node }: Json) => node.title));
      [endCursor, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    expect(titles.sort()).toEqual([
      'Buy a can',
      `Confidential ${DECOY}`,
      'Fill the can',
      'Repair the tap',
      'Water the plants',
    ]);
  });
});
