// What a team might ask of a merge request; danger gives these functions to the file.
const { danger, markdown, message, warn } = require('danger');

const { mr } = danger.gitlab;
message(`!${mr.iid} by ${mr.author.username} changes ${danger.git.modified_files.join(', ')}`);
if (!mr.description.includes('Test plan')) warn('There is no test plan.');
if (danger.git.commits.length > 1) markdown(`${danger.git.commits.length} commits`);
if (mr.description.includes('inline')) warn('Digits are hard to read.', 'a.txt', 2);
