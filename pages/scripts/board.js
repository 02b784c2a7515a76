// Cards of a board are dragged to another list, which sends the form that moves them without scripts, too.
{
  const form = document.getElementById('board-move');
  const board = document.querySelector('.board');
  const listAt = ({ target }) => target.closest?.('.board-list');
  let dragged = null;
  const leave = () => board.querySelector('.board-list.over')?.classList.remove('over');
  if (form && board) {
    for (const card of board.querySelectorAll('.card[data-iid]')) card.draggable = true;
    board.addEventListener('dragstart', (event) => {
      dragged = event.target.closest?.('.card[data-iid]') ?? null;
      if (dragged) event.dataTransfer.effectAllowed = 'move';
    });
    board.addEventListener('dragover', (event) => {
      const list = listAt(event);
      leave();
      if (!dragged || !list || list.contains(dragged)) return;
      event.preventDefault();
      list.classList.add('over');
    });
    board.addEventListener('dragend', () => {
      leave();
      dragged = null;
    });
    board.addEventListener('drop', (event) => {
      const [from, to] = [dragged?.closest('.board-list').dataset.list, listAt(event)?.dataset.list];
      if (!from || !to || from === to) return;
      event.preventDefault();
      const isList = (key) => key !== 'open' && key !== 'closed';
      const fields = form.elements;
      fields.issueProject.value = dragged.dataset.project;
      fields.iid.value = dragged.dataset.iid;
      fields.fromListId.value = isList(from) ? from : '';
      fields.toListId.value = isList(to) ? to : '';
      fields.stateEvent.value = to === 'closed' ? 'close' : from === 'closed' ? 'reopen' : '';
      form.requestSubmit();
    });
  }
}
