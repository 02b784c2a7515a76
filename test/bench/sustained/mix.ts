import { type Answer, type Call, send } from '../load.ts';

/** What one sort of request does to a project. */
export type Kind = 'read' | 'issue' | 'commit';

/** How often each sort comes, in a hundred requests. */
export const SHARES: Record<Kind, number> = { read: 70, issue: 20, commit: 10 };

/** How many projects there are, and issues in each to begin with. */
const [PROJECTS, ISSUES] = [10, 50];

/** Somebody who works in all projects. */
export class Visitor {
  readonly #token: string;
  readonly #projects: number[] = [];
  #count = 0;

  constructor(token: string) {
    this.#token = token;
  }

  /** Creates the projects, with a first commit, a branch for each worker and issues in each. */
  async prepare(url: string, workers: number): Promise<void> {
    for (let n = 1; n <= PROJECTS; n += 1) {
      const made = await this.#require(url, this.#call('POST', 'projects', { name: `mixed-${n}` }));
      const { id } = JSON.parse(made.text) as { id: number };
      this.#projects.push(id);
      await this.#require(url, this.#commit(id, 'master', 'README.md', 'create'));
      for (let worker = 0; worker < workers; worker += 1) {
        const branch = { branch: `worker-${worker}`, ref: 'master' };
        await this.#require(url, this.#call('POST', `projects/${id}/repository/branches`, branch));
      }
      for (let issue = 1; issue <= ISSUES; issue += 1) {
        await this.#require(url, this.#call('POST', `projects/${id}/issues`, { title: `Issue ${issue}` }));
      }
    }
  }

  /** The next request, of a sort by chance; commits of one worker go to a branch of its own. */
  next(worker: number): { kind: Kind; call: Call } {
    const number = this.#count++;
    const project = this.#projects[number % PROJECTS] ?? 0;
    const chance = Math.random() * 100;
    if (chance < SHARES.read) return { kind: 'read', call: this.#call('GET', this.#read(project, number)) };
    if (chance < SHARES.read + SHARES.issue) return { kind: 'issue', call: this.#issue(project, number) };
    return { kind: 'commit', call: this.#commit(project, `worker-${worker}`, `file-${number}.txt`, 'create') };
  }

  #read(project: number, number: number): string {
    const paths = [
      `projects/${project}/issues?per_page=20`,
      `projects/${project}/issues/${1 + (number % ISSUES)}`,
      `projects/${project}`,
      `projects/${project}/repository/commits`,
      `projects/${project}/repository/tree`,
      `projects/${project}/events`,
      'projects?membership=true',
    ];
    return paths[Math.floor(Math.random() * paths.length)] ?? 'projects';
  }

  #issue(project: number, number: number): Call {
    if (number % 2 === 0)
      return this.#call('POST', `projects/${project}/issues`, { title: `Issue of request ${number}` });
    const change = { description: `Changed by request ${number}`, state_event: number % 4 === 1 ? 'close' : 'reopen' };
    return this.#call('PUT', `projects/${project}/issues/${1 + (number % ISSUES)}`, change);
  }

  #commit(project: number, branch: string, file_path: string, action: string): Call {
    const actions = [{ action, file_path, content: `Written for ${file_path}\n` }];
    const commit = { branch, commit_message: `Add ${file_path}`, actions };
    return this.#call('POST', `projects/${project}/repository/commits`, commit);
  }

  #call(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Call {
    const headers = { 'PRIVATE-TOKEN': this.#token };
    return { method, path: `/api/v4/${path}`, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  }

  async #require(url: string, call: Call): Promise<Answer> {
    const answer = await send(url, call);
    if (answer.status >= 300) throw new Error(`${call.path} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    return answer;
  }
}
