// On a touch screen the first tap on a reference shows what it points at, the second follows it.
let touch = false, shown = null;
addEventListener('pointerdown', event => { touch = event.pointerType === 'touch'; }, true);
addEventListener('click', event => {
  const link = event.target.closest('article a');
  if (!touch || !link?._tippy || link === shown) return;
  event.preventDefault();
  shown = link;
  link._tippy.show();
}, true);
