// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <graphviz/gvc.h>
#include <graphviz/gvplugin.h>

#include <algorithm>
#include <memory>

#include "drawing/picture.h"

namespace compmond::drawing {
namespace {

// Beyond this nobody can read the picture, and the layout takes minutes.
constexpr size_t kMostNodes = 2000, kMostEdges = 4000;

struct Close {
  void operator()(GVC_t* context) const { gvFreeContext(context); }
  void operator()(Agraph_t* graph) const { agclose(graph); }
};

// Only what writes SVG and the layout "dot" are loaded, by name: Graphviz by itself would load
// every plugin installed, graphics libraries among them.
Result<gvplugin_library_t*> plugin(const char* file, const char* symbol) {
  void* const library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  void* const found = library ? ::dlsym(library, symbol) : nullptr;
  if (found) return static_cast<gvplugin_library_t*>(found);
  const char* why = ::dlerror();
  return fail(Exit::kUnavailable, "cannot draw the graph", why ? why : file,
              "Install Graphviz's library (Debian: libgvc6), or use --format dot.");
}

}  // namespace

Result<void> write_svg(Out& out, const GraphPicture& picture) {
  if (picture.nodes.size() > kMostNodes || picture.edges.size() > kMostEdges)
    return fail(Exit::kData, "cannot draw the graph",
                fmt::format("{} nodes and {} edges are more than anybody can read (at most {} and "
                            "{})",
                            picture.nodes.size(), picture.edges.size(), kMostNodes, kMostEdges),
                "Use a coarser --level, or --format json or dot.");
  auto core = plugin(COMPMOND_GRAPHVIZ_CORE, "gvplugin_core_LTX_library");
  if (!core) return Unexpected(std::move(core.error()));
  auto layout = plugin(COMPMOND_GRAPHVIZ_LAYOUT, "gvplugin_dot_layout_LTX_library");
  if (!layout) return Unexpected(std::move(layout.error()));

  StringOut dot;
  write_dot(dot, picture);
  const std::string text = dot.text();
  const std::unique_ptr<GVC_t, Close> context(gvContextPlugins(nullptr, 0));
  gvAddLibrary(context.get(), *core);
  gvAddLibrary(context.get(), *layout);
  const std::unique_ptr<Agraph_t, Close> graph(agmemread(text.c_str()));
  const auto failed = [](const char* why) {
    return fail(Exit::kInternal, "cannot draw the graph", why, "Use --format dot.");
  };
  if (!graph) return failed("Graphviz does not take its description");
  if (gvLayout(context.get(), graph.get(), "dot") != 0)
    return failed("Graphviz does not find a layout");
  char* data = nullptr;
  unsigned size = 0;
  const int rendered = gvRenderData(context.get(), graph.get(), "svg", &data, &size);
  if (rendered == 0) out.put({data, size});
  gvFreeRenderData(data);
  gvFreeLayout(context.get(), graph.get());
  if (rendered != 0) return failed("Graphviz does not draw it");
  return {};
}

}  // namespace compmond::drawing
