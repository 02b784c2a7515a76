/** Templates of the original that rule whether there is a pipeline, by their names in lower case. */
const WORKFLOWS: Readonly<Record<string, string>> = {
  'workflows/mergerequest-pipelines': `workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_TAG
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
  'workflows/branch-pipelines': `workflow:
  rules:
    - if: $CI_COMMIT_TAG
    - if: $CI_COMMIT_BRANCH
`,
};

/** Those whose jobs need programs and images of the original. */
const NOTHING = /^(?:(?:jobs|security|pages)\/[\w .+/-]+|code-quality)$/;

/** A template of the original that files include by its directory; null for others. */
export function knownTemplate(name: string): { text: string; warning?: string } | null {
  const plain = name.replace(/\.gitlab-ci\.yml$/i, '').toLowerCase();
  const workflow = Object.hasOwn(WORKFLOWS, plain) ? WORKFLOWS[plain] : undefined;
  if (workflow !== undefined) return { text: workflow };
  if (!NOTHING.test(plain)) return null;
  return { text: '{}', warning: `Template \`${name}\` is ignored: there is none like it here, and it adds no jobs` };
}
